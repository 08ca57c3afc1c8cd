/** The envelope of every answer, from the daemon or from this plugin. */

export type Health = "healthy" | "degraded" | "unavailable";

export interface Failure {
  code: string;
  message: string;
  recoverable: boolean;
  suggestion: string;
}

export interface Envelope {
  status: Health;
  data: Record<string, unknown> | null;
  error: Failure | null;
  meta: Record<string, unknown>;
}

const NO_META = { query_time_ms: 0, chunks_scanned: 0, index_version: "", vault_mtime: null };

/** The plugin's own answer when the daemon cannot or must not be asked. */
export function failure(
  code: string,
  message: string,
  suggestion: string,
  { status = "unavailable", recoverable = true }: { status?: Health; recoverable?: boolean } = {},
): Envelope {
  return {
    status,
    data: null,
    error: { code, message, recoverable, suggestion },
    meta: { ...NO_META },
  };
}

/** The envelope in the body of an answer, or null if it is not from ragd. */
export function parseEnvelope(body: string): Envelope | null {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return null;
  }
  if (!isObject(value) || !isHealth(value["status"])) return null;
  const { data = null, error = null, meta } = value;
  if ((data !== null && !isObject(data)) || (error !== null && !isFailure(error))) return null;
  return { status: value["status"], data, error, meta: isObject(meta) ? meta : {} };
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function isHealth(value: unknown): value is Health {
  return value === "healthy" || value === "degraded" || value === "unavailable";
}

function isFailure(value: unknown): value is Failure {
  return (
    isObject(value) &&
    typeof value["code"] === "string" &&
    typeof value["message"] === "string" &&
    typeof value["recoverable"] === "boolean" &&
    typeof value["suggestion"] === "string"
  );
}
