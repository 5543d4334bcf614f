import { byId } from "../base/dom.ts";
import { startPage } from "../ui/account.ts";

startPage("");
import("../list/similar.ts").then(async ({ similarEvents }) => {
  const others = await similarEvents(null);
  if (others) byId("main").append(others);
}, () => {}); // the page says all it has to say without them
