import { randomUUID } from "node:crypto";
import { codeFor, newEmail, stadium, URL_ } from "../fan.ts";
import { type Scene, silent } from "./scene.ts";
import { eventWith, programme, sell } from "./world.ts";

const at = (event: string): string => `${URL_}/events/${event}`;

/** One state of an event, shown to somebody who has not signed in. */
const state = (name: string, title: string, columns: Record<string, string>, inSeconds = -60): Scene => ({
  name: `event-${name}`, run: async ({ camera, fan }) => {
    const page = await fan();
    await page.goto(at(await eventWith({ ...programme(title, "Teatro Rivoli", "Porto Alegre", "Dance", 6), ...columns }, inSeconds)));
    await page.waitForSelector(".state h2, .soon h2");
    await page.waitForSelector('.live[data-state="live"]', { state: "attached" }); // not shown of what is over
    await camera.take(page, `event-${name}`);
  },
});

/** The event's page up to its door, and what it says of an event that nobody can buy. */
export const event: Scene[] = [
  {
    name: "event-door", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(at((await stadium()).eventId));
      await page.waitForSelector("#email");
      await page.waitForSelector('.live[data-state="live"]');
      await camera.take(page, "event-door");
      await page.fill("#email", "not an address");
      await page.press("#email", "Enter");
      await page.waitForSelector("#email[aria-invalid]");
      await camera.take(page, "event-door-invalid");
      const email = newEmail();
      await page.fill("#email", email);
      await page.press("#email", "Enter");
      await page.waitForSelector("#code");
      await camera.take(page, "event-code");
      const code = await codeFor(email);
      await page.fill("#code", code === "111111" ? "222222" : "111111");
      await page.waitForSelector("#code[aria-invalid]");
      await camera.take(page, "event-code-wrong");
      await silent(page, /\/queue/);
      await page.fill("#code", code);
      await page.waitForSelector(".track.unsure");
      await camera.take(page, "event-letting-in");
    },
  },
  {
    name: "event-loading", run: async ({ camera, fan }) => {
      const page = await fan();
      await silent(page, /\/v1\/(events|charts)\//);
      await page.goto(at((await stadium()).eventId));
      await page.waitForSelector("#map-bones svg");
      await camera.take(page, "event-loading");
    },
  },
  {
    name: "event-map-failed", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.route(/\/charts?\//, (route) => route.abort());
      await page.goto(at((await stadium()).eventId));
      await page.waitForSelector("#map-bones .state");
      await camera.take(page, "event-map-failed");
    },
  },
  {
    name: "event-blocked", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.route(/\/v1\//, (route) => route.abort());
      await page.goto(at((await stadium()).eventId));
      await page.waitForSelector(".state");
      await camera.take(page, "event-blocked");
    },
  },
  {
    name: "event-unknown", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.goto(at(randomUUID()));
      await page.waitForSelector(".state");
      await camera.take(page, "event-unknown");
    },
  },
  state("soon", "Companhia de Dança: Ensaio", {}, 3 * 86_400),
  state("paused", "Companhia de Dança: Pausa", { state: "'paused'" }),
  state("closed", "Companhia de Dança: Ontem", { state: "'closed'" }),
  state("cancelled", "Companhia de Dança: Chuva", { state: "'cancelled'" }),
  {
    name: "event-sold-out", run: async ({ camera, fan }) => {
      const event = await eventWith(programme("Companhia de Dança: Lotação", "Teatro Rivoli", "Porto Alegre", "Dance", 6));
      sell(event);
      const page = await fan();
      await page.goto(at(event));
      await page.waitForSelector(".state");
      await page.waitForSelector('.live[data-state="live"]');
      await camera.take(page, "event-sold-out");
    },
  },
  {
    name: "event-polling", run: async ({ camera, fan }) => {
      const page = await fan();
      await page.routeWebSocket(/./, (socket) => socket.close());
      await page.route((url) => url.pathname.endsWith("/live"), (route) => route.abort());
      await page.goto(at((await stadium()).eventId));
      await page.waitForSelector('.live[data-state="polling"]');
      await camera.take(page, "event-polling");
    },
  },
];
