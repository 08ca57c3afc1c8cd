/** Remembers for five minutes that all was well, so that not every search asks first. */

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

  /** The daemon's status if it has to be asked; null when it was healthy a short while ago. */
  async check(client: Client, signal?: AbortSignal): Promise<Envelope | null> {
    if (this.#now() - this.#healthySince < FRESH_MS) return null;
    const answer = await client.call(STATUS.name, {}, signal);
    this.learn(answer);
    if (answer.status === "healthy") this.#healthySince = this.#now();
    return answer;
  }

  /** Takes note of any answer: whoever says that something is wrong makes the next search ask. */
  learn(answer: Envelope): void {
    if (answer.status !== "healthy") this.#healthySince = -Infinity;
  }
}
