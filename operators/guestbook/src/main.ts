import { defineManager } from "@kubewright/runtime";
import { guestbookController } from "./controllers/guestbook.js";

export default defineManager({ name: "guestbook", controllers: [guestbookController] });
