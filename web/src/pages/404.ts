import { startPage } from "../ui/account.ts";

startPage("");
