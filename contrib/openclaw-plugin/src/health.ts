/** Remembers for five minutes that the daemon was healthy, so that not every search asks for the status. */

import type { Client } from "./client.js";
import type { Envelope } from "./envelope.js";
import { STATUS } from "./tools.js";

export const FRESH_MS = 5 * 60_000;

export class HealthCache {
  #healthySince = -Infinity;
  readonly #now: () => number;

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Asks for the status; null if the daemon was healthy less than five minutes ago. */
  async check(client: Client, signal?: AbortSignal): Promise<Envelope | null> {
    if (this.#now() - this.#healthySince < FRESH_MS) return null;
    const answer = await client.call(STATUS.name, {}, signal);
    this.record(answer);
    if (answer.status === "healthy") this.#healthySince = this.#now();
    return answer;
  }

  /** Records any answer: after one that is not healthy, the next search asks for the status. */
  record(answer: Envelope): void {
    if (answer.status !== "healthy") this.#healthySince = -Infinity;
  }
}
