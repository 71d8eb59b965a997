// The examples, as the suites here see them.
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { KubeObject } from "@kubewright/api";
import type { ManagerDefinition } from "@kubewright/runtime";
import { parseAllDocuments } from "yaml";
import hello from "../../examples/01-hello/src/main.js";
import ownedChildren from "../../examples/02-owned-children/src/main.js";
import statusAndConditions from "../../examples/03-status-and-conditions/src/main.js";
import finalizer from "../../examples/04-finalizer/src/main.js";
import webhook from "../../examples/05-webhook/src/main.js";
import versions from "../../examples/06-versions/src/main.js";
import schedule from "../../examples/07-schedule/src/main.js";
import watchAnotherKind from "../../examples/08-watch-another-kind/src/main.js";
import testing from "../../examples/09-testing/src/main.js";
import fromGo from "../../examples/10-from-go/src/main.js";

export const folder = join(import.meta.dirname, "../../examples");

export const managers: Readonly<Record<string, ManagerDefinition>> = {
  "01-hello": hello,
  "02-owned-children": ownedChildren,
  "03-status-and-conditions": statusAndConditions,
  "04-finalizer": finalizer,
  "05-webhook": webhook,
  "06-versions": versions,
  "07-schedule": schedule,
  "08-watch-another-kind": watchAnotherKind,
  "09-testing": testing,
  "10-from-go": fromGo,
};

export const names: readonly string[] = Object.keys(managers);

/** The folders of examples that there are. */
export const folders = (): readonly string[] =>
  readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map(({ name }) => name)
    .toSorted();

export const read = (path: string): string => readFileSync(join(folder, path), "utf8");

/** The objects of a YAML file of an example. */
export const objectsOf = (path: string): readonly KubeObject[] =>
  parseAllDocuments(read(path)).map((document) => document.toJS() as KubeObject);
