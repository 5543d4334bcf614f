import { byId } from "../base/dom.ts";
import { startPage } from "../ui/account.ts";

startPage("");
// the reader copies lines with our own address in them
for (const code of document.querySelectorAll("main code")) code.textContent = code.textContent!
  .replaceAll("wss://OUR", location.origin.replace(/^http/, "ws")).replaceAll("https://OUR", location.origin);
byId("main").dataset.ready = "";
