// Which words of a passage to mark for a question. Pure: it returns parts of the text, no elements.
const WORD = /[\p{L}\p{N}]+/gu;
const CJK = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;
const COMMON = new Set(
  ("a about all am an and any are as at be been but by can could did do does for from had has have he her his how i " +
    "if in is it its just me more much my no not of on or our she should so some than that the their them then there " +
    "these they this to us was we were what when where which who why will with would you your").split(" "),
);

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

// The words of a question that are worth marking. Filters such as `tag:x` and `-word` are not.
export function wordsToMark(question) {
  const plain = question.replace(/(^|\s)-?(tag|folder|prop|collection|title):("[^"]*"|\S+)/g, " ");
  const wanted = plain.replace(/(^|\s)-("[^"]*"|\S+)/g, " ");
  const words = [...wanted.matchAll(WORD)].map((found) => fold(found[0]));
  const rare = words.filter((word) => !COMMON.has(word));
  return [...new Set(rare.length ? rare : words)];
}

// Two forms of a word share all but an ending: `owe` and `owed`, `walks` and `walking`.
function isForm(word, wanted) {
  if (word === wanted) return true;
  const shorter = Math.min(word.length, wanted.length);
  const stem = Math.max(3, shorter - (shorter > 5 ? 2 : 0));
  return (
    shorter >= 3 && Math.abs(word.length - wanted.length) <= 3 && word.slice(0, stem) === wanted.slice(0, stem)
  );
}

function marksIn(word, wanted) {
  if (!CJK.test(word)) return wanted.some((one) => isForm(fold(word), one)) ? [[0, word.length]] : [];
  const found = [];
  for (const one of wanted) {
    for (let length = Math.min(one.length, 6); length >= 2; length--) {
      for (let at = 0; at + length <= one.length; at++) {
        const place = word.indexOf(one.slice(at, at + length));
        if (place >= 0) found.push([place, place + length]);
      }
      if (found.length) break;
    }
  }
  return found;
}

// The text in parts, in order: `[{ text: "I ", marked: false }, { text: "owe", marked: true }]`.
export function markedParts(text, wanted) {
  const marked = [];
  for (const found of wanted.length ? text.matchAll(WORD) : []) {
    for (const [from, to] of marksIn(found[0], wanted)) marked.push([found.index + from, found.index + to]);
  }
  marked.sort((one, other) => one[0] - other[0]);
  const parts = [];
  let place = 0;
  for (const [from, to] of marked) {
    if (to <= place) continue;
    const start = Math.max(from, place);
    if (start > place) parts.push({ text: text.slice(place, start), marked: false });
    parts.push({ text: text.slice(start, to), marked: true });
    place = to;
  }
  if (place < text.length) parts.push({ text: text.slice(place), marked: false });
  return parts;
}
