// The module of one language that the loader adds. Importing it on a server does nothing.
import { language } from "../i18n/speech.ts";
import { define, PlateiaMap, provide } from "./element.ts";
import { ElementBody } from "./element-body.ts";
import { Box } from "./box.ts";
import { Missing } from "./missing.ts";
import { type DeskCode, part } from "./parts.ts";
import type { Widget } from "./registry.ts";
import { limitsOf } from "./settings.ts";
import { Source } from "./source.ts";
import { troubleCard } from "./trouble.ts";

const widget: Widget = {
  async open(host, again) {
    if (!host.settings.frame) return new ElementBody(host);
    try {
      return (await part<DeskCode>("desk")).whole(host, { Box, Source, Missing, troubleCard, limitsOf });
    } catch (error) {
      new Box(host, () => {}).fill(troubleCard(error, host.origin, host.settings.event, again));
      throw error;
    }
  },
};

provide(language, widget);
define();

export { define, PlateiaMap };
