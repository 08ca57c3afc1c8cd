// Makes elements. All text goes in as text nodes: nothing here can turn text into markup, code or
// an address of another site.
const SVG = "http://www.w3.org/2000/svg";
const ATTRIBUTES = new Set([
  ...["autocomplete", "class", "colspan", "datetime", "dir", "disabled", "enterkeyhint", "for", "hidden"],
  ...["href", "id", "lang", "list", "max", "maxlength", "min", "name", "open", "placeholder", "rel"],
  ...["role", "scope", "selected", "spellcheck", "step", "tabindex", "title", "type", "value"],
  // of drawings
  ...["cx", "cy", "d", "fill", "height", "r", "rx", "viewBox", "width", "x", "x1", "x2", "y", "y1", "y2"],
  ...["preserveAspectRatio", "text-anchor"],
]);

// An address within this page, or one that opens Obsidian. Anything else is not a link.
export function isSafeAddress(address) {
  return /^\/(?![/\\])/.test(address) || /^obsidian:\/\/open\?/.test(address);
}

function setAttribute(node, name, value) {
  if (value === null || value === undefined || value === false) return;
  if (!ATTRIBUTES.has(name) && !/^(aria|data)-[a-z-]+$/.test(name)) {
    throw new Error(`The attribute ${name} is not allowed.`);
  }
  if (name === "href" && !isSafeAddress(String(value))) return;
  node.setAttribute(name, value === true ? "" : String(value));
}

function fill(node, properties, children) {
  for (const [name, value] of Object.entries(properties ?? {})) {
    if (name === "on") {
      for (const [event, listener] of Object.entries(value)) node.addEventListener(event, listener);
    } else if (name === "size") {
      for (const [side, share] of Object.entries(value)) node.style.setProperty(side, share);
    } else {
      setAttribute(node, name, value);
    }
  }
  append(node, children);
  return node;
}

export function append(node, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === null || child === undefined || child === false || child === "") continue;
    node.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// `el("p", { class: "note" }, "text", el("b", {}, "more"))`. `on` has listeners, `size` has styles.
export function el(tag, properties, ...children) {
  return fill(document.createElement(tag), properties, children);
}

export function drawing(tag, properties, ...children) {
  return fill(document.createElementNS(SVG, tag), properties, children);
}

export function replace(node, ...children) {
  node.replaceChildren();
  append(node, children);
}
