import { launch, closeFans } from "../browser.ts";
import { Camera } from "./camera.ts";
import { console_ } from "./console.ts";
import { event } from "./event.ts";
import { line } from "./line.ts";
import { lineDoors } from "./line-doors.ts";
import { list } from "./list.ts";
import { order } from "./order.ts";
import { partner } from "./partner.ts";
import { stageFor } from "./scene.ts";
import { selling } from "./selling.ts";

// node main.mjs FOLDER [WORD]: takes all pictures, or those of the scenes whose name contains the word.
const [folder, only = ""] = process.argv.slice(2);
const scenes = [...list, ...event, ...selling, ...line, ...lineDoors, ...order, ...partner, ...console_].filter((s) => s.name.includes(only));
const camera = new Camera(folder!);
const browser = await launch();
let failed = 0;
for (const scene of scenes) {
  const began = Date.now();
  try {
    await scene.run(stageFor(browser, camera));
    console.log(`${scene.name}: ${((Date.now() - began) / 1000).toFixed(1)} s`);
  } catch (error) {
    failed++;
    console.error(`${scene.name}: ${error instanceof Error ? error.stack : String(error)}`);
  }
  await closeFans({ passed: true });
}
await browser.close();
console.log(`file://${camera.finish()}`);
process.exitCode = failed > 0 ? 1 : 0;
