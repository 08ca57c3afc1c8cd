// Exchanges the code after # for a session. The code leaves the address bar and the history before
// anything else happens. The second secret stays where only this origin can read it. After the code
// there may be the view to show, from its first slash on.
const [, code, view] = location.hash.match(/^#?([^/]*)(.*)$/s);
history.replaceState(null, "", "/enter");

const message = document.getElementById("message");

// Only an address of this page: `//elsewhere` would be another site. It is given whole, because a
// path alone may begin with two slashes, too.
function viewAddress() {
  const target = new URL(view || "/", location.origin);
  return target.origin === location.origin ? target.href : "/";
}

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
  location.replace(viewAddress());
}

enter().catch(() => {
  message.textContent = "The bridge does not answer. Run `ragctl open` again.";
});
