// Every word that the page itself says. Messages of the daemon come with its answers.
const plural = (count, one, many) => (count === 1 ? `1 ${one}` : `${new Intl.NumberFormat("en").format(count)} ${many}`);

export const WORDS = {
  never: "never",
  justNow: "just now",
  ago: (time) => `${time} ago`,
};

export const STATES = { healthy: "healthy", degraded: "degraded", unavailable: "unavailable" };

export const PAGE = {
  title: (view) => `${view} · ragd`,
  asking: "asking…",
  healthIs: (state) => `ragd is ${state}`,
  navigation: "Views",
  skip: "Skip to the content",
  notFound: "There is no such view",
  toSearch: "Go to search",
  views: {
    "/search": "Search",
    "/why": "Why",
    "/coverage": "Coverage",
    "/health": "Health",
    "/facts": "Live facts",
    "/memories": "Memories",
  },
  noBridge: {
    message: "The page's server does not answer.",
    suggestion: "Run `ragctl open` in a terminal.",
  },
};

export const BUTTONS = { cancel: "Cancel" };

export const SENSITIVE = {
  kinds: { health: "health", financial_debt: "debts", relationships: "relationships" },
  show: (kinds) => `Sensitive (${kinds}): show`,
  withheld: (count) =>
    count === 1
      ? "1 sensitive passage is withheld, because security.sensitive is “block”."
      : `${count} sensitive passages are withheld, because security.sensitive is “block”.`,
  consent: "Show them to me, this time",
};

export const SEARCH = {
  title: "Search",
  label: "Ask your notes",
  placeholder: "Ask your notes…",
  results: "Results",
  remembered: "Remembered",
  empty: "Ask in your own words. Results appear as you type.",
  examples: [
    "A time counts: `last week`, `in the summer of 2023`.",
    "A phrase in quotes must occur, `-word` must not.",
    "`tag:travel`, `folder:Journal` and `prop:status=active` limit where to look.",
  ],
  keys: "Keys: `/` goes to this box, `↓` and `↑` move through the results, `Enter` opens one, `Esc` comes back.",
  count: (count) => plural(count, "passage", "passages"),
  said: (count) => (count ? `${plural(count, "passage", "passages")} found.` : "Nothing found."),
  of: (count) => `of ${count} searched`,
  retrieval: { hybrid: "by meaning and words", vector: "by meaning", full_text: "by words only" },
  embedded: (share) => `${share} have vectors`,
  stale: (since) => `The index lags behind the vault: the oldest change that is missing was made ${since}.`,
  unindexed: (count) => `${count} new or changed notes are not in the index yet.`,
  unanswered: "Nothing answers this. These are the nearest passages.",
  unsure: "Check these: perhaps none of them answers the question.",
  corrected: (word, used) => `No note has “${word}”. Searched instead: ${used}.`,
  understood: (parts) => `Understood: ${parts}`,
  time: ({ words, days }) => {
    const spans = days.map(({ from, to }) => (from === to ? from : `${from ?? "…"} to ${to ?? "…"}`));
    return `“${words}” is ${spans.join(" or ")}`;
  },
  more: (count) => `Show up to ${count}`,
  missing: "Is a note missing? Find out why",
};

export const FACETS = {
  title: "Filters",
  active: "Active filters",
  inResults: "In these results",
  names: { collection: "collection", folder: "folder", tag: "tag", prop: "property", from: "from", to: "to" },
  labels: { collection: "Collections", folder: "Folder", tag: "Tag", prop: "Property", from: "From", to: "To" },
  placeholders: { folder: "Journal", tag: "#travel", prop: "status=active" },
  remove: (name, value) => `Remove the filter ${name} ${value}`,
  only: (value) => `Only ${value}`,
};

export const PASSAGE = {
  score: (score) => `Score ${score.toFixed(2)}: how likely this answers the question`,
  newer: "There is a newer note about this:",
  stale: "The note has changed since this passage was indexed.",
  unverified: "The vault did not answer, so nobody knows whether this is still current.",
  instruction: "This text reads like an instruction to an assistant.",
  via: (via) => `Among the results because it is ${via}.`,
  alsoIn: (count, notes) => `The same text is in ${plural(count, "other note", "other notes")}: ${notes.join(", ")}`,
  more: "Show the whole passage",
  less: "Show less",
  fileDate: "The note has no date of its own; this is when its file changed.",
  changed: (day) => `changed ${day}`,
  around: "The note around it",
  why: "Why this?",
  whyMore: "All numbers, and compared with the others",
  onlyTag: (tag) => `Only notes with ${tag}`,
  obsidian: "Open in Obsidian",
  staleMemory: "Its note has changed since.",
};

export const NOTE = {
  title: "Note",
  obsidian: "Open in Obsidian",
  folder: "Its folder in Coverage",
  expected: "Why is it not found?",
  stale: "This note has changed since it was indexed.",
  instruction: "Part of this text reads like an instruction to an assistant.",
  truncated: (to, total) => `Shown up to line ${to} of ${total}.`,
  lines: (from, to) => `Lines ${from} to ${to}`,
  empty: "There is nothing to show.",
  none: "Open a note from Search or Coverage.",
};

export const WHY = {
  title: "Why this, why not that",
  lead: "Ask a question and name a note that you expected. The answer says at which step it fell out.",
  question: "Question",
  note: "Expected note",
  notePlaceholder: "a name, a path or a [[link]]",
  ask: "Explain",
  asks: "Runs the search again and explains every result. Nothing is changed.",
  verdict: "The note you expected",
  results: "What decided each result",
  none: "No results.",
  stages: {
    found: "It was found",
    not_found: "No note has this name",
    ambiguous: "Several notes have this name",
    not_indexed: "It is not in the index",
    private: "Its collection is private and was not searched",
    other_collection: "Its collection was not searched",
    hidden: "It may not be shown any more",
    gone: "It does not exist any more",
    filtered: "A filter leaves it out",
    duplicate: "Its text is shown for another note",
    no_vector: "It has no vector yet",
    below_floor: "Too little of it is about the question",
    outranked: "Others came first",
    not_near: "It is not near the question",
    withheld: "It was found, and is withheld",
    beyond_limits: "It was found, and a limit leaves it out",
  },
  // The steps of a search, in order, each with the stages that end there.
  steps: [
    { name: "In the index", stages: ["not_found", "ambiguous", "not_indexed", "hidden", "gone"] },
    { name: "Searched", stages: ["private", "other_collection", "filtered", "duplicate"] },
    { name: "Compared", stages: ["not_near", "no_vector"] },
    { name: "Above the floor", stages: ["below_floor"] },
    { name: "Among the best", stages: ["outranked"] },
    { name: "Shown", stages: ["withheld", "beyond_limits"] },
  ],
  passed: "passed",
  failed: "fell out here",
  notReached: "not reached",
  place: (rank) => `Place ${rank}`,
  passages: (passages, vectors) => `${plural(passages, "passage", "passages")}, ${vectors} with a vector`,
  filters: "Filters that leave it out",
  candidates: "Did you mean",
  parts: {
    meaning: "meaning",
    words: "words",
    title: "title",
    note: "whole note",
    cover: "share of the question",
    time: "time",
    recency: "newer",
    excluded: "excluded words",
  },
  sum: (weight) => `${weight.toFixed(2)} in all`,
  legend: "What fusion adds up",
  numbers: "All numbers",
  number: "number",
  value: "value",
  ranks: (meaning, words) => `by meaning ${meaning ?? "–"}, by words ${words ?? "–"}`,
  matched: "Words that matched",
  missed: "Words that are missing",
  columns: { place: "Place", passage: "Passage", score: "Score", ranks: "Ranks", cosine: "Cosine", parts: "What it is made of" },
};

export const MEMORIES = {
  title: "Memories",
  lead: "Facts that assistants stored. Searches return them next to passages.",
  filter: "Filter",
  none: "No memories are stored.",
  noMatch: "No memory matches.",
  columns: { key: "Key", value: "Fact", source: "Source", stored: "Stored", state: "State", forget: "Forget" },
  stale: "stale: the note has changed",
  unverified: "not checked: the vault did not answer",
  current: "current",
  forget: "Forget…",
  forgetNamed: (key) => `Forget ${key}`,
  confirm: "Erase it for good",
  effect: "Erases the fact from all of ragd's files. The note stays as it is.",
  forgotten: (key) => `Forgotten: ${key}.`,
  was: "It was gone already.",
};
