// The operators of this repository by the name of their folder, as pages start them: with simulated databases.
import type { ManagerDefinition } from "@kubewright/runtime";
import application from "../../operators/application/src/main.js";
import appservice from "../../operators/appservice/src/main.js";
import crontab from "../../operators/crontab/src/main.js";
import { simulated as etcd } from "../../operators/etcd/src/main.js";
import guestbook from "../../operators/guestbook/src/main.js";
import modelbox from "../../operators/modelbox/src/main.js";
import { simulated as mongodb } from "../../operators/mongodb/src/main.js";
import scheduledScaler from "../../operators/scheduled-scaler/src/main.js";

export const operators: Readonly<Record<string, ManagerDefinition>> = {
  application,
  appservice,
  crontab,
  etcd,
  guestbook,
  modelbox,
  mongodb,
  "scheduled-scaler": scheduledScaler,
};
