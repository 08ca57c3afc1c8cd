/** The address of ragd's socket, computed as in ragd/paths.py. It opens nothing. */

import { createHash } from "node:crypto";
import { homedir, userInfo } from "node:os";
import { posix, win32 } from "node:path";

/** The properties of this machine that decide the address. */
export interface Machine {
  platform: string;
  home: string;
  user: number;
  named: string | undefined; // OBSIDIAN_RAG_HOME
  appData: string | undefined; // APPDATA
  runtimeDir: string | undefined; // XDG_RUNTIME_DIR
}

export function thisMachine(): Machine {
  return {
    platform: process.platform,
    home: homedir(),
    user: process.platform === "win32" ? 0 : userInfo().uid,
    named: process.env["OBSIDIAN_RAG_HOME"] || undefined,
    appData: process.env["APPDATA"] || undefined,
    runtimeDir: process.env["XDG_RUNTIME_DIR"] || undefined,
  };
}

/** The socket or pipe: the configured one with `~` expanded, else ragd's own choice. */
export function socketAddress(configured: string, machine: Machine = thisMachine()): string {
  if (configured.startsWith("\\\\.\\pipe\\")) return configured;
  const path = pathsOf(machine);
  if (configured) return path.resolve(expand(configured, machine));
  const root = path.resolve(expand(homeOf(machine), machine));
  return machine.platform === "win32"
    ? `\\\\.\\pipe\\ragd-${fingerprint(root)}`
    : unixSocket(root, machine);
}

function homeOf(machine: Machine): string {
  if (machine.named) return machine.named;
  if (machine.platform !== "win32") return "~/.obsidian-rag";
  return win32.join(machine.appData ?? "~", "obsidian-rag");
}

function expand(path: string, machine: Machine): string {
  return /^~(?=$|[\\/])/.test(path) ? machine.home + path.slice(1) : path;
}

/** In the home, or in a short private folder if that path is too long for a socket. */
function unixSocket(root: string, machine: Machine): string {
  const plain = posix.join(root, "ragd.sock");
  if (fits(plain, machine)) return plain;
  const name = `${fingerprint(root)}.sock`;
  const session = machine.runtimeDir && posix.join(machine.runtimeDir, "ragd", name);
  return session && fits(session, machine) ? session : `/tmp/ragd-${machine.user}/${name}`;
}

function fits(path: string, machine: Machine): boolean {
  return Buffer.byteLength(path) <= (machine.platform === "linux" ? 107 : 103);
}

function fingerprint(root: string): string {
  return createHash("sha256").update(root).digest("hex").slice(0, 16);
}

function pathsOf(machine: Machine): typeof posix {
  return machine.platform === "win32" ? win32 : posix;
}
