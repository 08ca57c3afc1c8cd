// Calls of the daemon's API through the bridge. Every answer is the daemon's envelope.
const csrf = () => localStorage.getItem("ragd.csrf") ?? "";

function send(method, path, body, signal) {
  const headers = { "X-Ragd-Csrf": csrf() };
  if (method !== "GET") headers["Content-Type"] = "application/json";
  return fetch(`/api${path}`, {
    method,
    headers,
    signal,
    body: method === "GET" || method === "DELETE" ? undefined : JSON.stringify(body ?? {}),
  });
}

export async function call(method, path, body, signal) {
  const answer = await send(method, path, body, signal);
  return answer.json();
}

// The lines of a stream, each one parsed: `for await (const fact of follow("/v1/events?follow=1"))`.
export async function* follow(path, signal) {
  const answer = await send("GET", path, undefined, signal);
  if (!answer.ok) throw new Error((await answer.json()).error.message);
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const lines = (rest + value).split("\n");
    rest = lines.pop();
    for (const line of lines) if (line) yield JSON.parse(line);
  }
}
