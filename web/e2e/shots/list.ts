import { URL_ } from "../fan.ts";
import { type Scene, silent } from "./scene.ts";
import { eventWith, programme, sell } from "./world.ts";

/** The list of events. */
export const list: Scene[] = [
  {
    name: "list", run: async ({ camera, fan }) => {
      await eventWith({ ...programme("Orquestra de Câmara: As quatro estações", "Sala Cecília Meireles", "Rio de Janeiro", "Classical", 3) });
      await eventWith({ ...programme("Noite de Tango", "Teatro Colón", "Buenos Aires", "Tango", 4) }, 3 * 86_400);
      await eventWith({ ...programme("山田楽団 – Дмитрий & Çağla", "Casa de Francisca", "São Paulo", "World", 5), state: "'cancelled'" });
      sell(await eventWith(programme("Stand-up sem censura", "Teatro Riachuelo", "Natal", "Comedy", 2)));
      sell(await eventWith(programme("A very long title of a festival that has more to say than a card has room for, second weekend", "Auditório Ibirapuera Oscar Niemeyer", "São Paulo", "Festival", 8)), 0.97);
      const page = await fan();
      await page.goto(URL_);
      await page.waitForSelector(".card h2");
      await camera.take(page, "list");
      await camera.take(page, "list-whole", { whole: true });
    },
  },
  {
    name: "list-narrowed", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(`${URL_}/?city=Rio+de+Janeiro&sort=price`);
      await page.waitForSelector(".card h2");
      await page.waitForSelector("#chips .chip");
      await camera.take(page, "list-narrowed");
    },
  },
  {
    name: "list-sheet", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.setViewportSize({ width: 390, height: 844 });
      await page.goto(URL_);
      await page.waitForSelector(".card h2");
      await page.click("#open-finder");
      await page.selectOption("#f-when", "own");
      await camera.take(page, "list-sheet");
    },
  },
  {
    name: "list-empty", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(`${URL_}/?q=zzzz+no+such+event`);
      await page.waitForSelector(".state");
      await camera.take(page, "list-empty");
    },
  },
  {
    name: "list-loading", run: async ({ camera, fan }) => {
      const page = await fan();
      await silent(page, /\/v1\/events\?|\/v1\/events$/);
      await page.goto(URL_);
      await page.waitForSelector(".card.bones");
      await camera.take(page, "list-loading");
    },
  },
  {
    name: "list-failed", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.route(/\/v1\/events/, (route) => route.abort());
      await page.goto(URL_);
      await page.waitForSelector(".state button, .notice button");
      await camera.take(page, "list-failed");
    },
  },
  {
    name: "missing-page", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(`${URL_}/no/such/page`);
      await camera.take(page, "missing-page");
    },
  },
];
