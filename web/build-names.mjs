// Names of our own that the widget's build makes short: of properties that only our code reads and writes, the same in all parts.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";

const NAMES = `
  rowBox sectionBox rowFrom rowTo centre paperInk fieldLine
  staleCounts keptFrom myPlaces totalFree totalOpen wanted choosable
  doubleTap seatTap areaTap showSection lookingAt drew stale retheme stamp hover
  ordinals inflates deltas surroundings stopAll varint packed
  onState onSummary onNotice onSnapshot onDelta onRefused pollUrl poller tokenChanged
  bare mapPlace wear judge dress renew refused skin
  rowLabel whyNot stateName kindName sectionPrices areaPrice categoryPrice priceOf hasAccessible
`.trim().split(/\s+/);

/** Where names are that others know: the API's documents, the frame's messages, what partners are told. */
const KNOWN = ["src/api/types.ts", "src/embed/protocol.ts", "src/widget/body.ts", "src/widget/element.ts", "src/widget/settings.ts"];

/** The rule for esbuild. Throws when a name is also one of a document, a message, a browser's interface, or of a text in quotes. */
export function shortNames(web, sources) {
  const lib = join(web, "node_modules", "@typescript"); // of this machine's kind, in a folder of its own
  const known = wordsOf([...KNOWN.map((f) => join(web, f)), ...browserTypes(lib)].map((f) => readFileSync(f, "utf8")).join("\n"));
  const quoted = wordsOf([...sources.matchAll(/"[\w-]+"|'[\w-]+'|`[\w-]+`/g)].map(([text]) => text).join(" "));
  const taken = NAMES.filter((name) => known.has(name) || quoted.has(name));
  if (taken.length > 0) throw new Error(`build-names.mjs: others know these names: ${taken.join(", ")}`);
  return new RegExp(`^(?:${NAMES.join("|")})$`);
}

const wordsOf = (text) => new Set(text.match(/[A-Za-z_$][\w$]*/g));

const browserTypes = (lib) => readdirSync(lib, { recursive: true }).filter((f) => /lib\.(dom|es)[\w.]*\.d\.ts$/.test(f)).map((f) => join(lib, f));
