// Calls of the daemon's API through the bridge. Every answer is the daemon's envelope.
import { PAGE } from "./strings.js";

const STATUS = "/v1/status";
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

const unavailable = (error) => ({ status: "unavailable", data: null, error, meta: {} });

// An envelope, also if the bridge does not answer. Throws only if `signal` ended the call. The frame
// hears of a daemon that is down, and says when it is back.
export async function call(method, path, body, signal) {
  try {
    const answer = await send(method, path, body, signal);
    const envelope = await answer.json();
    if (answer.status >= 500 && path !== STATUS) dispatchEvent(new Event("ragd-failed"));
    return envelope;
  } catch (why) {
    if (signal?.aborted) throw why;
    return unavailable({ code: "NO_BRIDGE", ...PAGE.noBridge, recoverable: true });
  }
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

// The lines of a stream that does not end: after an interruption it goes on after the last line.
export async function* followForever(path, after, signal, onState) {
  let last = after;
  for (;;) {
    try {
      onState?.(true);
      for await (const line of follow(`${path}${path.includes("?") ? "&" : "?"}follow=1&after=${last}`, signal)) {
        last = line.seq ?? last;
        yield line;
      }
    } catch (why) {
      if (signal.aborted) return;
    }
    if (signal.aborted) return;
    onState?.(false);
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}
