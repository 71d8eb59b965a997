// `resourceVersion`, `sendInitialEvents`, `allowWatchBookmarks` of a watch.

import { type FieldError, fieldError } from "@kubewright/api";
import { invalid, unknownError } from "@kubewright/kinds";

import { notARevision, parseRevision } from "../registry/revision.js";

export interface WatchOptions {
  /** Changes after this one. */
  readonly revision: number;
  /** Existing objects come first, as ADDED events. */
  readonly sendInitialEvents: boolean;
  /** A bookmark marks where the initial events end. */
  readonly initialBookmark: boolean;
  readonly bookmarks: boolean;
}

const isTrue = (value: string | null): boolean => value !== null && value !== "false" && value !== "0";

export function watchOptions(query: URLSearchParams, current: number): WatchOptions {
  const version = query.get("resourceVersion") ?? "";
  const asked = query.get("sendInitialEvents");
  const match = query.get("resourceVersionMatch") ?? "";
  const errors = optionErrors(asked, match);
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", errors);
  const bookmarks = isTrue(query.get("allowWatchBookmarks"));
  // Without a version, or from "0", a watch starts with what is there: the old way of asking for initial events.
  const implied = asked === null && match === "" && (version === "" || version === "0");
  if (implied && query.get("continue")) {
    const text = "resourceVersionMatch is forbidden when continue is provided";
    const error = fieldError.forbidden("resourceVersionMatch", text);
    throw invalid({ group: "meta.k8s.io", kind: "ListOptions" }, "", [error]);
  }
  return {
    revision: version === "" || version === "0" ? current : revisionOf(version),
    sendInitialEvents: isTrue(asked) || implied,
    initialBookmark: (isTrue(asked) || implied) && bookmarks,
    bookmarks,
  };
}

function revisionOf(version: string): number {
  const revision = parseRevision(version);
  if (revision === undefined) throw unknownError(notARevision(version));
  return revision;
}

function optionErrors(sendInitialEvents: string | null, match: string): FieldError[] {
  const errors: FieldError[] = [];
  const forbid = (field: string, text: string): void => {
    errors.push({ field, reason: "FieldValueForbidden", message: `Forbidden: ${text}` });
  };
  if (sendInitialEvents === null && match !== "") {
    forbid(
      "resourceVersionMatch",
      "resourceVersionMatch is forbidden for watch unless sendInitialEvents is provided",
    );
  }
  if (sendInitialEvents !== null && match !== "NotOlderThan") {
    forbid("resourceVersionMatch", "sendInitialEvents requires setting resourceVersionMatch to NotOlderThan");
  }
  if (match !== "" && match !== "NotOlderThan") {
    const message = `Unsupported value: ${JSON.stringify(match)}: supported values: "NotOlderThan"`;
    errors.push({ field: "resourceVersionMatch", reason: "FieldValueNotSupported", message });
  }
  return errors;
}
