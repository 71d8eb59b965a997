// The parameters of operations, as OpenAPI documents list them.

export interface Parameter {
  readonly name: string;
  readonly in: "query" | "path";
  readonly description: string;
  readonly type: "string" | "boolean" | "integer";
}

type Type = Parameter["type"];

const query = (name: string, type: Type, description: string): Parameter => ({
  name,
  in: "query",
  description,
  type,
});
const path = (name: string, description: string): Parameter => ({
  name,
  in: "path",
  description,
  type: "string",
});

export const pretty = query("pretty", "string", "Whether the answer is indented: 'true' or 'false'.");
export const namespaceInPath = path("namespace", "The namespace of the object.");
export const nameInPath = (kind: string): Parameter => path("name", `The name of the ${kind}.`);
export const restOfPath = path("path", "The rest of the path, which is passed on.");

export const ofWrites: readonly Parameter[] = [
  query("dryRun", "string", "'All' does everything but store the object."),
  query("fieldManager", "string", "Who changes fields; at most 128 printable characters."),
  query("fieldValidation", "string", "What becomes of unknown and duplicate fields: Ignore, Warn or Strict."),
];
export const ofPatches: readonly Parameter[] = [
  ...ofWrites,
  query("force", "boolean", "Takes fields over from other managers; only for apply."),
];
export const ofLists: readonly Parameter[] = [
  query("allowWatchBookmarks", "boolean", "Asks for bookmark events; only for watches."),
  query("continue", "string", "The token of the page before, to go on after it."),
  query("fieldSelector", "string", "Restricts the list to objects with these fields."),
  query("labelSelector", "string", "Restricts the list to objects with these labels."),
  query("limit", "integer", "How many objects a page may hold."),
  query("resourceVersion", "string", "The version of the list that is asked for."),
  query("resourceVersionMatch", "string", "How the version is meant: Exact or NotOlderThan."),
  query("sendInitialEvents", "boolean", "Begins a watch with the objects there are."),
  query("shardSelector", "string", "Restricts the list to a part of all objects."),
  query("timeoutSeconds", "integer", "How long a list or watch may take."),
  query("watch", "boolean", "Answers with a stream of changes."),
];
export const ofDeletes: readonly Parameter[] = [
  query("dryRun", "string", "'All' does everything but delete the object."),
  query("gracePeriodSeconds", "integer", "Seconds until the object is deleted; zero for at once."),
  query(
    "ignoreStoreReadErrorWithClusterBreakingPotential",
    "boolean",
    "Deletes objects that cannot be read from storage.",
  ),
  query("orphanDependents", "boolean", "Deprecated: use propagationPolicy."),
  query("propagationPolicy", "string", "What becomes of dependents: Orphan, Background or Foreground."),
];
/** Watches are no part of it. */
export const ofCollectionDeletes: readonly Parameter[] = [
  ...ofLists.filter(({ name }) => name !== "allowWatchBookmarks" && name !== "watch"),
  ...ofDeletes,
];
export const resourceVersion = query(
  "resourceVersion",
  "string",
  "The version of the object that is asked for.",
);

const streams = [
  query("container", "string", "The container; defaults to the only one of the pod."),
  query("stderr", "boolean", "Whether standard error is sent."),
  query("stdin", "boolean", "Whether standard input is taken."),
  query("stdout", "boolean", "Whether standard output is sent."),
  query("tty", "boolean", "Whether there is a terminal."),
];

/** Parameters of subresources that are no objects. */
export const ofConnections: Readonly<Record<string, readonly Parameter[]>> = {
  attach: streams,
  exec: [query("command", "string", "The program and its arguments, one parameter for each."), ...streams],
  portforward: [query("ports", "integer", "The ports to forward.")],
  proxy: [query("path", "string", "The path that is asked for.")],
};
export const ofLogs: readonly Parameter[] = [
  query("container", "string", "The container; defaults to the only one of the pod."),
  query("follow", "boolean", "Goes on with what is logged from now on."),
  query("insecureSkipTLSVerifyBackend", "boolean", "Does not verify the certificate of the kubelet."),
  query("limitBytes", "integer", "How many bytes are sent."),
  query("previous", "boolean", "Shows the log of the container before this one."),
  query("sinceSeconds", "integer", "Shows what was logged in these last seconds."),
  query("stream", "string", "Which stream: All, Stdout or Stderr."),
  query("tailLines", "integer", "How many lines from the end are shown."),
  query("timestamps", "boolean", "Begins every line with its time."),
];
