// Makes the pages' style sheets into one for a shadow root: only rules that some code can meet, and everything that asks for
// the page (its root, its width, its palette) asks for the element instead.
import { build } from "esbuild";
import { readFileSync } from "node:fs";

/** The sheet's text. sources: code whose classes and ids are kept; before: sheets whose rules are left out. */
export async function shadowSheet(files, sources, before = []) {
  const contents = files.map((f) => readFileSync(f, "utf8")).join("\n");
  const { outputFiles } = await build({ stdin: { contents, loader: "css" }, write: false, bundle: true, minify: true, logLevel: "warning", target: "chrome111" });
  const there = new Set(before.flatMap((sheet) => flat(rules(sheet))));
  const kept = rules(forElement(outputFiles[0].text)).flatMap((r) => keep(r, sources, there));
  const named = kept.map(write).join("");
  const played = kept.filter((r) => !r.head.startsWith("@keyframes") || new RegExp(`animation:[^;}]*\\b${r.head.slice(11).trim()}\\b`).test(named));
  return fewTokens(played, sources, before).map(write).join("");
}

/** Leaves out the tokens that nothing here asks for, and those that earlier sheets have declared. */
function fewTokens(all, sources, before) {
  const earlier = before.flatMap((sheet) => rules(sheet)), declared = new Set(tokens(earlier)), said = new Set(rest(earlier)), text = all.map(write).join("");
  const asked = (name) => text.includes(`var(${name})`) || text.includes(`var(${name},`) || sources.includes(`"${name}"`) || sources.includes(`"${name.slice(2)}"`) || (name.startsWith("--map-") && sources.includes("var(--map-${"));
  const few = (rule, around = "") => {
    const head = around + rule.head;
    if (typeof rule.body !== "string") return { ...rule, body: rule.body.map((r) => few(r, head)).filter((r) => r.body.length > 0) };
    const again = said.has(head + plain(rule)); // it differs from an earlier one in tokens only
    const lines = linesOf(rule).filter((line) => (line.startsWith("--") ? asked(line.slice(0, line.indexOf(":"))) && !declared.has(head + line) : !again));
    return { ...rule, body: lines.join(";") };
  };
  return all.map((r) => few(r)).filter((r) => r.body.length > 0);
}

const linesOf = ({ body }) => body.split(/;(?=--|[a-z-]+:)/);
const plain = (rule) => linesOf(rule).filter((line) => !line.startsWith("--")).join(";");
const tokens = (all, around = "") => all.flatMap((r) =>
  typeof r.body === "string" ? linesOf(r).filter((line) => line.startsWith("--")).map((line) => around + r.head + line) : tokens(r.body, around + r.head));
const rest = (all, around = "") => all.flatMap((r) => (typeof r.body === "string" ? [around + r.head + plain(r)] : rest(r.body, around + r.head)));

/** :root is the element's own box; dark is a class of it; the page's width is the element's. */
const forElement = (css) => css
  .replace(/(--[\w-]+): /g, "$1:")
  .replace(/@media ?\(prefers-color-scheme: ?dark\) ?\{:root\{([^}]*)\}\}/g, (_, inner) => `@media not (forced-colors:active){.pl.dark{${inner}}}`) // the reader's own colours come before both
  .replaceAll(":root", ".pl")
  .replace(/@media ?\((max|min)-width: ?([\d.]+rem)\)/g, "@container pl ($1-width:$2)")
  .replace(/@media ?\(pointer: ?coarse\) and \([^)]*\)/g, "@media(pointer:coarse)")
  .replace(/@media ?\(width ?(<=|>=) ?([\d.]+rem)\)/g, (_, op, width) => `@container pl (${op === "<=" ? "max" : "min"}-width:${width})`);

/** Rules as {head, body} with a text as body, or rules in an at-rule. */
function rules(css) {
  const out = [];
  for (let at = 0; at < css.length;) {
    const open = css.indexOf("{", at), semicolon = css.indexOf(";", at);
    if (open < 0) break;
    if (semicolon >= 0 && semicolon < open) { // a statement such as @charset
      at = semicolon + 1;
      continue;
    }
    let depth = 1, end = open + 1;
    for (; depth > 0; end++) depth += css[end] === "{" ? 1 : css[end] === "}" ? -1 : 0;
    const head = css.slice(at, open).trim(), body = css.slice(open + 1, end - 1);
    out.push({ head, body: /^@(media|container|supports)/.test(head) ? rules(body) : body });
    at = end;
  }
  return out;
}

const write = ({ head, body }) => `${head}{${typeof body === "string" ? body : body.map(write).join("")}}`;
const flat = (all, around = "") => all.flatMap((r) => (typeof r.body === "string" ? [around + write(r)] : flat(r.body, around + r.head)));

function keep(rule, sources, there, around = "") {
  if (typeof rule.body !== "string") {
    const body = rule.body.flatMap((r) => keep(r, sources, there, around + rule.head));
    return body.length > 0 ? [{ ...rule, body }] : [];
  }
  if (rule.head.startsWith("@")) return there.has(write(rule)) ? [] : [rule];
  const selectors = split(rule.head).filter((s) => met(s, sources));
  const kept = { ...rule, head: selectors.join(",") };
  return selectors.length > 0 && !there.has(around + write(kept)) ? [kept] : [];
}

/** Selectors of a list; commas within brackets part nothing. */
function split(list) {
  const out = [];
  let depth = 0, from = 0;
  for (let i = 0; i <= list.length; i++) {
    if (i === list.length || (list[i] === "," && depth === 0)) {
      out.push(list.slice(from, i));
      from = i + 1;
    } else if ("([".includes(list[i])) depth++;
    else if (")]".includes(list[i])) depth--;
  }
  return out;
}

/** Whether something in the sources has all classes and ids of a selector, and the tag that it ends in. */
function met(selector, sources) {
  if (/^(html|body|main|img)\b/.test(selector)) return false;
  const plain = selector.replace(/\[[^\]]*\]/g, "").replace(/:host\([^)]*\)/, "");
  const classes = [...plain.matchAll(/\.([a-zA-Z][\w-]*)/g)].map((m) => m[1]), ids = [...plain.matchAll(/#([a-zA-Z][\w-]*)/g)].map((m) => m[1]);
  const tags = [...plain.matchAll(/(?:^|[\s>+~(])([a-z][a-z0-9]*)(?![\w-]*\()/g)].map((m) => m[1]);
  const known = classesOf(sources);
  return classes.every((c) => known.has(c) || (/^cat-\d$/.test(c) && known.has("cat-"))) && ids.every((id) => sources.includes(`"${id}"`)) &&
    tags.every((t) => t === "svg" || t === "from" || t === "to" || new RegExp(`"${t}"|<${t}\\b`).test(sources));
}

const found = new Map();

/** The words that sources use as classes. */
function classesOf(sources) {
  if (!found.has(sources)) {
    const places = [/\bclass: *(["`][^\n]*)/g, /\bclassName = *(["`][^\n]*)/g, /\bclassList\.\w+\(([^)]*)\)/g, /\b(?:item|canvas)\((["`][^)]*)\)/g, /\bclass="([^"]*)"/g, /setAttribute\("class", ("[^"]*")/g];
    const text = places.flatMap((p) => [...sources.matchAll(p)].map((m) => m[1])).join(" ");
    const quoted = [...text.matchAll(/["'`]([^"'`]*)["'`]/g)].map((m) => m[1]);
    found.set(sources, new Set(quoted.flatMap((q) => q.split(/[^\w-]+/)).concat(["pl", "dark"])));
  }
  return found.get(sources);
}
