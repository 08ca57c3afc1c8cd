/** The day and the time of a moment in the user's time zone. Pure. */

export function dayOf(nowMs: number, zone: unknown): string {
  return formatted(nowMs, zone, { year: "numeric", month: "2-digit", day: "2-digit" });
}

export function timeOf(nowMs: number, zone?: unknown): string {
  return formatted(nowMs, zone, { hour: "2-digit", minute: "2-digit" });
}

/** Swedish: YYYY-MM-DD and 24 hours. An unknown zone is this machine's. */
function formatted(nowMs: number, zone: unknown, parts: Intl.DateTimeFormatOptions): string {
  try {
    const timeZone = typeof zone === "string" && zone ? { timeZone: zone } : {};
    return new Intl.DateTimeFormat("sv-SE", { ...parts, ...timeZone }).format(nowMs);
  } catch {
    return new Intl.DateTimeFormat("sv-SE", parts).format(nowMs);
  }
}
