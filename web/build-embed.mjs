// Builds what partners put into their pages: dist/embed/v1/loader.js, and for each language a few modules of one file each.
//
// plateia-map.LANGUAGE is the element with all that it takes to look around in a live map, to choose by tap and to ask for the
// choice; it asks for the others when they are needed (src/widget/parts.ts). Each carries its styles as text (for adoptedStyleSheets) and only those texts and rules that its own code names. The
// loader knows the elements' files by name and hash, and they know the others': a byte that differs is not run.
import { build, transform } from "esbuild";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { minify } from "terser";
import { shortNames } from "./build-names.mjs";
import { shadowSheet } from "./build-sheet.mjs";

/** Most bytes (gzip) of each part, in the heaviest language; all: of all of them. */
const LIMITS = { loader: 1_500, map: 25_000, panel: 25_000, fallback: 2_000, trouble: 2_300, desk: 5_300, view: 4_400, all: 65_500 };

const ENTRY = "map";

/** What comes later, and those before it whose rules it need not say again. */
const LATER = { view: [ENTRY, "panel"], panel: [ENTRY], fallback: [ENTRY], trouble: [ENTRY], desk: [ENTRY, "panel"] };

/** What only another part asks for: its file and hash are in that one. */
const WITHIN = { view: "panel" };
const SHEETS = ["tokens", "map-colours", "base", "shapes", "map", "panel", "filters", "modes", "seat-modes", "view", "widget"].map((name) => `styles/${name}.css`);

/** Builds into outdir; answers gzip bytes by part, and the files that were made. tools: {web, languages, textsOf, gzip}. */
export async function buildEmbed(outdir, tools) {
  const made = [], weights = Object.fromEntries(Object.keys(LIMITS).map((part) => [part, 0])), first = {};
  const put = (name, code) => {
    const file = join(outdir, name);
    writeFileSync(file, code);
    made.push(file);
  };
  const files = SHEETS.map((f) => join(tools.web, f)), sources = {}, sheets = {};
  for (const [part, before] of [[ENTRY, []], ...Object.entries(LATER).sort(([, a], [, b]) => a.length - b.length)]) {
    sources[part] = await sourcesOf(part, tools.web);
    sheets[part] = await shadowSheet(files, [...before, part].map((name) => sources[name]).join("\n"), before.map((name) => sheets[name]));
  }
  tools = { ...tools, sources, names: { mangleProps: shortNames(tools.web, Object.values(sources).join("\n")), mangleCache: {} } };
  mkdirSync(join(outdir, "embed", "v1"), { recursive: true });
  mkdirSync(join(outdir, "assets"), { recursive: true });
  for (const language of tools.languages) {
    const make = async (part, how) => {
      const code = await code_(part, language, { ...tools, ...how });
      const file = `plateia-${part}.${language}-${createHash("sha256").update(code).digest("hex").slice(0, 8).toUpperCase()}.js`;
      put(join("assets", file), code);
      weights[part] = Math.max(weights[part], tools.gzip(code).length);
      const hash = part === ENTRY ? "sha384" : "sha256"; // those of the parts are in the element's own weight
      return [file, `${hash}-${createHash(hash).update(code).digest("base64")}`];
    };
    const parts = { [ENTRY]: {}, panel: {} };
    for (const part in LATER) parts[WITHIN[part] ?? ENTRY][part] = await make(part, { css: sheets[part], parts: parts[part] });
    first[language] = await make(ENTRY, { css: sheets[ENTRY], parts: parts[ENTRY] });
  }
  const loader = await bundle("src/widget/loader.ts", { web: tools.web, format: "iife", define: { FILES: JSON.stringify(first) } });
  const code = await smaller(loader.text, false);
  put(join("embed", "v1", "loader.js"), code);
  weights.loader = tools.gzip(code).length;
  weights.all = [ENTRY, ...Object.keys(LATER)].reduce((sum, part) => sum + weights[part], weights.loader);
  return { weights, made };
}

/** One sentence for each part that is too heavy. */
export const embedOverLimit = (weights) =>
  Object.entries(weights).filter(([part, bytes]) => bytes > LIMITS[part]).map(([part, bytes]) => `widget's ${part}: ${bytes} bytes gzip, the limit is ${LIMITS[part]}`);

export const embedReport = (weights) =>
  Object.entries(weights).map(([part, bytes]) => `widget ${part.padEnd(7)}${String(bytes).padStart(8)} of ${LIMITS[part]}`).join("\n");

/** A part in one language. */
async function code_(part, language, { web, textsOf, sources, css, names, parts = {} }) {
  const { text } = await bundle(entryOf(part), {
    web, names, format: "esm", define: { PARTS: JSON.stringify(parts), SHEET: JSON.stringify(css) },
    plugins: [fewTexts(textsOf(language), sources[part]), atOnce],
  });
  return smaller(text, true);
}

const entryOf = (part) => `src/widget/plateia-${part}.ts`;

async function bundle(entry, { web, format, names, define = {}, plugins = [] }) {
  const { outputFiles, mangleCache } = await build({
    absWorkingDir: web, entryPoints: [entry], write: false, outdir: web, bundle: true, format, target: "es2022", define, plugins,
    minify: true, legalComments: "none", logLevel: "warning", ...names,
  });
  Object.assign(names?.mangleCache ?? {}, mangleCache); // the next part says the same
  return outputFiles[0];
}

/** What esbuild leaves for a second look: 4 % of the widget. */
async function smaller(code, module) {
  const { code: out } = await minify(code, {
    module, ecma: 2020, toplevel: true, mangle: true, compress: { passes: 3, unsafe_arrows: true, unsafe_methods: true, pure_getters: true, keep_fargs: false },
    format: { ecma: 2020 },
  });
  return out;
}

/** All code that ends in a part, without the texts: a key, class or icon that is not in it is not used. */
async function sourcesOf(part, web) {
  const noTexts = {
    name: "no-texts",
    setup: (b) => b.onLoad({ filter: /i18n\/en\/\w+\.ts$/ }, ({ path }) => ({ contents: `export const ${path.match(/(\w+)\.ts$/)[1]} = globalThis.texts;` })),
  };
  const { outputFiles } = await build({
    absWorkingDir: web, entryPoints: [entryOf(part)], write: false, outdir: web, bundle: true, format: "esm", target: "es2022", plugins: [noTexts],
    define: { PARTS: "{}", SHEET: '""' }, logLevel: "warning",
  });
  return outputFiles[0].text;
}

/** What the pages ask for later is in the same file here: asking for it would wrap every module that it needs into a function: 617 bytes of the panel (gzip). */
const atOnce = {
  name: "at-once",
  setup: (b) => b.onLoad({ filter: /event\/[\w-]+\.ts$/ }, ({ path }) => {
    const first = [], code = readFileSync(path, "utf8").replace(/\bimport\(("\.[^"]+")\)/g, (_, file) => {
      first.push(`import * as later${first.length} from ${file};`);
      return `Promise.resolve(later${first.length - 1})`;
    });
    return { loader: "ts", contents: `${first.join("")}${code}` };
  }),
};

/** Puts a language's texts in, and of those and the icons only the ones that are named. */
function fewTexts(of, sources) {
  const named = (key) => sources.includes(`"${key}"`) || sources.includes(`"${key.replace(/_(one|other)$/, "")}"`);
  return {
    name: "few-texts",
    setup(build) {
      of.setup(build);
      build.onLoad({ filter: /i18n\/[\w-]+\/\w+\.ts$/ }, async ({ path }) => {
        const { code } = await transform(readFileSync(path, "utf8"), { loader: "ts" });
        return { loader: "js", contents: code.replace(/^ {2}(\w+): (".*"|'.*'|`.*`),?$/gm, (line, key) => (named(key) ? line : "")) };
      });
      build.onLoad({ filter: /map\/geometry[\w-]*\.ts$|live\/wire\.ts$/ }, ({ path }) => ({ // the words of errors that nobody reads there
        loader: "ts", contents: readFileSync(path, "utf8").replace(/, "[^"]+"(?=\))/g, "").replace(/Error\("[^"]*"/g, 'Error("frame"'),
      }));
      build.onLoad({ filter: /base\/dom\.ts$/ }, ({ path }) => ({
        loader: "ts", contents: readFileSync(path, "utf8").replace(/^ {2}(\w+): "M.*",$/gm, (line, icon) => (sources.includes(`icons.${icon}`) ? line : "")),
      }));
    },
  };
}

/** The pages of a made-up partner, which `plateia dev` shows on another origin. Its React page is bundled as a partner would. */
export async function buildPartner(outdir, { web }) {
  const from = join(web, "partner"), to = join(outdir, "partner");
  rmSync(to, { recursive: true, force: true });
  mkdirSync(to, { recursive: true });
  for (const name of readdirSync(from).filter((f) => f !== "react.js")) copyFileSync(join(from, name), join(to, name));
  await build({
    absWorkingDir: web, entryPoints: ["partner/react.js"], outdir: to, bundle: true, format: "esm", target: "es2022", minify: true,
    define: { "process.env.NODE_ENV": '"production"' }, legalComments: "none", logLevel: "warning",
  });
}
