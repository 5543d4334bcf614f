// The module of one language that the loader adds. Importing it on a server does nothing.
import { h } from "../base/dom.ts";
import { language } from "../i18n/speech.ts";
import { define, PlateiaMap, provide } from "./element.ts";
import { ElementBody } from "./element-body.ts";
import { Box } from "./box.ts";
import { Missing } from "./missing.ts";
import { type DeskCode, part } from "./parts.ts";
import type { Widget } from "./registry.ts";
import { limitsOf } from "./settings.ts";
import { Source } from "./source.ts";

const widget: Widget = {
  async open(host, again) {
    if (!host.settings.frame) return new ElementBody(host);
    try {
      return (await part<DeskCode>("desk")).whole(host, { Box, Source, Missing, limitsOf });
    } catch (error) {
      const box = new Box(host, () => {}), place = h("div", { class: "map" });
      box.fill(place);
      void box.trouble(place, error, again);
      throw error;
    }
  },
};

provide(language, widget);
define();

export { define, PlateiaMap };
