/** Checks that a Unix socket belongs to this user before anything is sent to it. It opens nothing. */

import { lstat, realpath, stat } from "node:fs/promises";
import { dirname } from "node:path";

/** The socket is not one that ragd made for this user. The message says why, the suggestion what to do. */
export class NotOurs extends Error {
  readonly suggestion: string;

  constructor(message: string, suggestion: string) {
    super(message);
    this.suggestion = suggestion;
  }
}

const BY_OTHERS = 0o077;
const WRITABLE_BY_OTHERS = 0o022;

const SAME_USER = "Run ragd and OpenClaw as the same user, or set the plugin's socketPath.";

/** Rejects unless the socket and its folder belong to this user and are closed to others. ragd makes the
 * socket with mode 0600 in a folder of mode 0700. Anyone who can write to the folder could put another
 * socket there. Named pipes of Windows are not checked: they have no owner here. */
export async function requireOwnSocket(
  socketPath: string,
  uid: number | null = process.getuid?.() ?? null,
): Promise<void> {
  if (uid === null) return;
  const socket = await lstat(socketPath);
  if (socket.isSymbolicLink()) {
    throw new NotOurs(
      `${socketPath} is a symbolic link, which may lead to another user's socket.`,
      "Set the plugin's socketPath to ragd's real socket; `ragctl doctor` names it.",
    );
  }
  if (!socket.isSocket()) {
    throw new NotOurs(
      `${socketPath} is not a socket.`,
      "Set the plugin's socketPath to ragd's socket; `ragctl doctor` names it.",
    );
  }
  if (socket.uid !== uid) {
    throw new NotOurs(`${socketPath} belongs to another user (uid ${socket.uid}).`, SAME_USER);
  }
  if (socket.mode & BY_OTHERS) {
    throw new NotOurs(
      `${socketPath} is open to other users (mode ${octal(socket.mode)}).`,
      "The user types `ragctl stop` and `ragctl start`: ragd then makes a new socket.",
    );
  }
  await refuseSharedFolder(await realpath(dirname(socketPath)), uid);
}

async function refuseSharedFolder(folder: string, uid: number): Promise<void> {
  const facts = await stat(folder);
  if (facts.uid !== uid) {
    const owner = `belongs to another user (uid ${facts.uid})`;
    throw new NotOurs(`${folder}, the folder of ragd's socket, ${owner}.`, SAME_USER);
  }
  if (facts.mode & WRITABLE_BY_OTHERS) {
    throw new NotOurs(
      `Other users can write to ${folder}, the folder of ragd's socket (mode ${octal(facts.mode)}).`,
      `The user types \`chmod 700\` with that folder in a terminal, then \`ragctl doctor\`.`,
    );
  }
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}
