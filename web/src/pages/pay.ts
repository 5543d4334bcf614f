import { showOrder } from "../order/own-page.ts";
import { startPage } from "../ui/account.ts";

startPage("");
showOrder();
