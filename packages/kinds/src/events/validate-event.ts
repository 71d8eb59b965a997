// The rules for events. Those of the core group came first and are lenient; events.k8s.io asks for more.
import {
  type Event,
  type FieldError,
  fieldError,
  utf8Length,
  validateDns1123Subdomain,
  validateQualifiedName,
} from "@kubewright/api";
import { immutable, invalidBecause } from "../field-rules.js";
import { shownStruct } from "../shown-struct.js";

type Reporter = "reportingComponent" | "reportingController";

const longest = { reportingInstance: 128, action: 128, reason: 128, message: 1024 } as const;

/** The rules of every event; each API group has its own name for the reporting component. */
export function validateAnyEvent(event: Event, reporter: Reporter): FieldError[] {
  const namespace = event.metadata.namespace ?? "";
  return [
    ...(event.eventTime ? newStyleErrors(event, reporter) : oldStyleErrors(event)),
    ...invalidBecause(validateDns1123Subdomain(namespace), namespace, "namespace"),
  ];
}

const mismatch = (namespace: string): FieldError =>
  fieldError.invalid("involvedObject.namespace", namespace, "does not match event.namespace");

function oldStyleErrors({ metadata, involvedObject }: Event): FieldError[] {
  const about = involvedObject.namespace ?? "";
  const own = metadata.namespace ?? "";
  const fits = about === "" ? own === "" || own === "default" : own === about;
  return fits ? [] : [mismatch(about)];
}

/** Events with an exact time say who reports what. */
function newStyleErrors(event: Event, reporter: Reporter): FieldError[] {
  const { involvedObject, metadata, reportingComponent = "", reportingInstance = "" } = event;
  const own = metadata.namespace ?? "";
  const tooLong = (field: keyof typeof longest): FieldError[] =>
    utf8Length(event[field] ?? "") > longest[field]
      ? [fieldError.invalid(field, "", `can have at most ${longest[field]} characters`)]
      : [];
  const required = (field: string, value: string): FieldError[] =>
    value === "" ? [fieldError.required(field)] : [];
  return [
    ...(!involvedObject.namespace && own !== "default" && own !== "kube-system" ? [mismatch("")] : []),
    ...required(reporter, reportingComponent),
    ...invalidBecause(validateQualifiedName(reportingComponent), reportingComponent, reporter),
    ...required("reportingInstance", reportingInstance),
    ...tooLong("reportingInstance"),
    ...required("action", event.action ?? ""),
    ...tooLong("action"),
    ...required("reason", event.reason ?? ""),
    ...tooLong("reason"),
    ...tooLong("message"),
  ];
}

/** The rules that only new events of events.k8s.io must satisfy. */
export function validateStrictEvent(event: Event): FieldError[] {
  const { type = "", source } = event;
  const unset = (field: string, isSet: boolean): FieldError[] =>
    isSet ? [fieldError.invalid(field, "", "needs to be unset")] : [];
  return [
    ...seriesErrors(event),
    ...(event.eventTime ? [] : [fieldError.required("eventTime")]),
    ...(type === "Normal" || type === "Warning"
      ? []
      : [fieldError.invalid("type", "", `has invalid value: ${type}`)]),
    ...unset("firstTimestamp", Boolean(event.firstTimestamp)),
    ...unset("lastTimestamp", Boolean(event.lastTimestamp)),
    ...unset("count", Boolean(event.count)),
    ...unset("source", Boolean(source?.component || source?.host)),
  ];
}

function seriesErrors({ series }: Event): FieldError[] {
  if (!series) return [];
  return [
    ...((series.count ?? 0) < 2 ? [fieldError.invalid("series.count", "", "should be at least 2")] : []),
    ...(series.lastObservedTime ? [] : [fieldError.required("series.lastObservedTime")]),
  ];
}

/** `reason` stands twice, as kube-apiserver checks it twice. */
const fixed = [
  "involvedObject",
  "reason",
  "message",
  "source",
  "firstTimestamp",
  "lastTimestamp",
  "count",
  "reason",
  "type",
  "eventTime",
  "action",
  "related",
] as const;

/** Only the series of an event of events.k8s.io can change. */
export function validateEventChange(event: Event, before: Event): FieldError[] {
  const sameSeries = JSON.stringify(event.series) === JSON.stringify(before.series);
  return [
    ...(sameSeries ? [] : seriesErrors(event)),
    ...fixed.flatMap((field) => immutable(event[field], before[field], field, shownField(event, field))),
    ...immutable(event.reportingComponent ?? "", before.reportingComponent ?? "", "reportingController"),
    ...immutable(event.reportingInstance ?? "", before.reportingInstance ?? "", "reportingInstance"),
  ];
}

function shownField(event: Event, field: (typeof fixed)[number]): unknown {
  switch (field) {
    case "involvedObject":
      return shownStruct(event.involvedObject, "k8s.io.api.core.v1.ObjectReference");
    case "related":
      return shownStruct(event.related, "k8s.io.api.core.v1.ObjectReference");
    case "source":
      return shownStruct(event.source ?? {}, "k8s.io.api.core.v1.EventSource");
    case "reason":
    case "message":
    case "type":
    case "action":
      return event[field] ?? "";
    case "count":
      return event.count ?? 0;
    default:
      return event[field];
  }
}
