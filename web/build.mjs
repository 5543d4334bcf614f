// Builds the site into dist/: hashed scripts and styles, one HTML page per route and language, precompressed forms.
//
// A page is pages/NAME.html. In it, {{key}} is a text of the dictionary, <!-- include NAME --> is pages/parts/NAME.html,
// and <!-- assets --> becomes the page's styles and script. Nothing is inline, so the pages live under a strict CSP.
import { build } from "esbuild";
import { mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { buildEmbed, buildPartner, embedOverLimit, embedReport } from "./build-embed.mjs";

const web = dirname(fileURLToPath(import.meta.url));
const LANGUAGES = { en: "", es: ".es", "pt-BR": ".pt-BR" }; // the suffix of the page's file name
const FOLDERS = { en: "en", es: "es", "pt-BR": "pt-br" }; // where its texts are

/** Pages with styles of their own, beside everybody's or in their place. */
const SITE = "styles/site.css";
const STYLES = {
  index: [SITE, "styles/search.css"], event: [SITE, "styles/seats.css"], console: [SITE, "styles/console.css"], order: [SITE, "styles/checkout.css"], pay: [SITE, "styles/checkout.css"],
  line: ["styles/line.css"], frame: [SITE, "styles/seats.css", "styles/embed.css"], desk: [SITE, "styles/seats.css", "styles/embed.css"], "embed-pay": [SITE, "styles/checkout.css"], embed: [SITE, "styles/embed-docs.css"],
};

/** Styles of parts that a page shows later, with scripts that come later too: they are fetched last, and the page switches them on. */
const LATER = { frame: ["styles/board.css", "styles/checkout.css"], desk: ["styles/board.css", "styles/checkout.css"] };

/** Pages whose scripts share nothing with other pages': what they need first is then all there is, and comes as one file. */
const ALONE = new Set(["line", "console", "event"]);

/** Most bytes (gzip) a page may need before it works: its HTML, styles and scripts with their static imports. */
const LIMITS = {
  404: 16_000, index: 24_500, event: 47_500, line: 22_000, pay: 29_900, orders: 20_000, order: 29_900, console: 34_000,
  frame: 58_500, desk: 45_800, "embed-pay": 21_000, embed: 20_000,
};

/** Most bytes, not compressed, of the same. A crowd loads the waiting room at one moment. */
const RAW_LIMITS = { line: 54_500 };

const ROBOTS = "User-agent: *\nDisallow: /v1/\nDisallow: /orders\nDisallow: /pay/\nDisallow: /console\n";

/** Builds into outdir and answers what each page weighs: {pages: {name: {html, css, js, raw, files}}}, gzip bytes but for raw, of the heavier language. */
export async function buildSite(outdir) {
  rmSync(join(outdir, "assets"), { recursive: true, force: true });
  mkdirSync(outdir, { recursive: true });
  const names = readdirSync(join(web, "pages")).filter((f) => f.endsWith(".html")).map((f) => f.slice(0, -5));
  const shared = await bundle(outdir, ["pages/icon.svg", ...new Set([SITE, ...Object.values(STYLES).flat(), ...Object.values(LATER).flat()])]);
  const made = Object.keys(shared.outputs).map((f) => join(web, f));
  const texts = await dictionaries();
  const site = { pages: {} };
  for (const [language, suffix] of Object.entries(LANGUAGES)) {
    const groups = [names.filter((n) => !ALONE.has(n)), ...[...ALONE].map((n) => [n])];
    const scripts = { outputs: {} };
    for (const group of groups) {
      Object.assign(scripts.outputs, (await bundle(outdir, group.map((n) => `src/pages/${n}.ts`), [textsOf(language), ...(group.length === 1 ? [oneChunk(`src/pages/${group[0]}.ts`)] : [])])).outputs);
    }
    made.push(...Object.keys(scripts.outputs).map((f) => join(web, f)));
    for (const name of names) {
      const files = filesOf(name, { ...shared.outputs, ...scripts.outputs });
      const page = `${name}${suffix}.html`;
      writeFileSync(join(outdir, page), render(name, texts[language], language, files));
      made.push(join(outdir, page));
      const weight = { ...weigh(outdir, page, files), files };
      if (!site.pages[name] || total(weight) > total(site.pages[name])) site.pages[name] = weight;
    }
  }
  const embed = await buildEmbed(outdir, { web, languages: Object.keys(LANGUAGES), textsOf, gzip });
  await buildPartner(outdir, { web });
  site.embed = embed.weights;
  made.push(...embed.made);
  new Set(made).forEach(compress);
  writeFileSync(join(outdir, "robots.txt"), ROBOTS);
  writeFileSync(join(outdir, "manifest.json"), JSON.stringify(site, null, 2)); // last: it says that the build is whole
  return site;
}

async function bundle(outdir, entryPoints, plugins = []) {
  const { metafile } = await build({
    absWorkingDir: web, entryPoints, outdir, plugins,
    bundle: true, splitting: true, format: "esm", target: "es2022", minify: true, metafile: true,
    entryNames: "assets/[name]-[hash]", chunkNames: "assets/[name]-[hash]", assetNames: "assets/[name]-[hash]",
    loader: { ".svg": "copy", ".js": "file" }, publicPath: "/", legalComments: "none", logLevel: "warning",
  });
  return metafile;
}

/** Each language has scripts of its own, with its texts only: no choice is left to make in the browser. */
const textsOf = (language) => ({
  name: "texts",
  setup: ({ onResolve }) => onResolve({ filter: /\/en\/\w+\.ts$/ }, ({ path }) => ({ path: join(web, "src", "i18n", FOLDERS[language], basename(path)) })),
});

/**
 * All that a page needs first in one file, not in one for every set of later scripts that shares a part of it: a later script has
 * everything of the page's, because it imports the page, which has run by then.
 */
const oneChunk = (entry) => ({
  name: "one-chunk",
  setup({ onResolve, onLoad, resolve }) {
    const inner = {};
    onResolve({ filter: /\.ts$/ }, async ({ path, kind, resolveDir, importer, pluginData }) => {
      if (kind !== "dynamic-import" || pluginData === inner) return undefined;
      return { ...(await resolve(path, { kind, resolveDir, importer, pluginData: inner })), pluginData: "later" };
    });
    onLoad({ filter: /\.ts$/ }, ({ path, pluginData }) =>
      pluginData === "later" ? { loader: "ts", contents: `${readFileSync(path, "utf8")}\nimport ${JSON.stringify(join(web, entry))};` } : undefined);
  },
});

/** Imports the dictionaries, which are TypeScript, through a bundle of their own. */
async function dictionaries() {
  const dir = mkdtempSync(join(tmpdir(), "plateia-texts-"));
  try {
    const outfile = join(dir, "texts.mjs");
    await build({ absWorkingDir: web, entryPoints: ["src/i18n/all.ts"], outfile, bundle: true, format: "esm", logLevel: "warning" });
    return (await import(pathToFileURL(outfile).href)).all;
  } finally {
    rmSync(dir, { recursive: true, force: true });
  }
}

/** The hashed files of one page as site paths: styles, icon, entry script and the chunks it imports statically. */
function filesOf(name, outputs) {
  const find = (entry) => Object.keys(outputs).find((f) => outputs[f].entryPoint === entry);
  const icon = Object.keys(outputs).find((f) => /\/icon-[^/]*\.svg$/.test(f));
  let script = find(`src/pages/${name}.ts`);
  const [only, another] = outputs[script].imports;
  if (only && !another && Object.keys(outputs[script].inputs).length === 0) script = only.path; // all it does is to name the chunk that later scripts import too
  const chunks = new Set();
  const walk = (file) => {
    for (const i of outputs[file].imports) {
      if (i.kind === "import-statement" && !chunks.has(i.path)) {
        chunks.add(i.path);
        walk(i.path);
      }
    }
  };
  walk(script);
  const path = (file) => `/assets/${basename(file)}`;
  const styles = (STYLES[name] ?? [SITE]).map((f) => path(find(f)));
  const later = (LATER[name] ?? []).map((f) => path(find(f)));
  return { styles, later, icon: path(icon), script: path(script), chunks: [...chunks].map(path) };
}

function render(name, texts, language, files) {
  const read = (file) => readFileSync(join(web, "pages", file), "utf8");
  const tags = [
    `<link rel="icon" href="${files.icon}" type="image/svg+xml">`,
    ...files.styles.map((f) => `<link rel="stylesheet" href="${f}">`),
    ...files.later.map((f) => `<link rel="stylesheet" href="${f}" media="not all" data-later>`),
    ...files.chunks.map((c) => `<link rel="modulepreload" href="${c}">`),
    `<script type="module" src="${files.script}"></script>`,
  ];
  return read(`${name}.html`)
    .replace(/<!-- include (\w+) -->/g, (_, part) => read(`parts/${part}.html`))
    .replace("<!-- assets -->", tags.join("\n  "))
    .replace(/\{\{(\w+)\}\}/g, (_, key) => {
      if (key === "lang") return language;
      if (typeof texts[key] !== "string") throw new Error(`pages/${name}.html: no text "${key}" in ${language}`);
      return escape(texts[key]);
    });
}

const escape = (text) => text.replace(/[&<>"]/g, (c) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c]);

const gzip = (body) => gzipSync(body, { level: 9 });

function compress(file) {
  const body = readFileSync(file);
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11, [constants.BROTLI_PARAM_SIZE_HINT]: body.length };
  writeFileSync(`${file}.gz`, gzip(body));
  writeFileSync(`${file}.br`, brotliCompressSync(body, { params }));
}

function weigh(outdir, page, files) {
  const size = (path) => gzip(readFileSync(join(outdir, path))).length;
  return {
    html: size(page), css: files.styles.reduce((sum, f) => sum + size(f), 0),
    js: [files.script, ...files.chunks].reduce((sum, f) => sum + size(f), 0),
    raw: [page, ...files.styles, files.script, ...files.chunks].reduce((sum, f) => sum + readFileSync(join(outdir, f)).length, 0),
  };
}

const total = (page) => page.html + page.css + page.js;

/** One sentence for each page that is too heavy. */
export function overLimit(site) {
  return Object.entries(site.pages)
    .flatMap(([name, page]) => [[name, total(page), LIMITS[name], "gzip"], [name, page.raw, RAW_LIMITS[name] ?? Infinity, "not compressed"]])
    .filter(([, bytes, limit]) => bytes > limit)
    .map(([name, bytes, limit, how]) => `${name}: ${bytes} bytes ${how}, the limit is ${limit}`)
    .concat(embedOverLimit(site.embed));
}

export function report(site) {
  const line = ([name, p]) =>
    `${name.padEnd(8)}${[p.html, p.css, p.js, total(p), LIMITS[name], p.raw].map((n) => String(n).padStart(8)).join("")}`;
  return ["gzip bytes  html     css      js   total   limit     raw", ...Object.entries(site.pages).map(line), embedReport(site.embed)].join("\n");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(report(await buildSite(join(web, "dist"))));
}
