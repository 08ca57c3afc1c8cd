// Exchanges the code after # for a session. The code leaves the address bar and the history before
// anything else happens. The second secret stays where only this origin can read it.
const code = location.hash.slice(1);
history.replaceState(null, "", "/enter");

const message = document.getElementById("message");

async function enter() {
  const answer = await fetch("/enter", {
    method: "POST",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify({ code }),
  });
  const envelope = await answer.json();
  if (!answer.ok) {
    message.textContent = `${envelope.error.message} ${envelope.error.suggestion}`;
    return;
  }
  localStorage.setItem("ragd.csrf", envelope.data.csrf);
  location.replace("/");
}

enter().catch(() => {
  message.textContent = "The bridge does not answer. Run `ragctl open` again.";
});
