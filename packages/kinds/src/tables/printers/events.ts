// Events, in both of their forms.
import { Event, type EventSource, EventsV1Event, type ObjectReference } from "@kubewright/api";
import { column, nameColumn, type TableColumn, wideColumn } from "../column.js";
import { type Cell, definePrinter, type PrintContext, type TablePrinter } from "../printer.js";

const columns: readonly TableColumn[] = [
  column("Last Seen", { of: "Event.lastTimestamp" }),
  column("Type", { of: "Event.type" }),
  column("Reason", { of: "Event.reason" }),
  column("Object", { of: "Event.involvedObject" }),
  wideColumn("Subobject", { of: "ObjectReference.fieldPath" }),
  wideColumn("Source", { of: "Event.source" }),
  column("Message", { of: "Event.message" }),
  wideColumn("First Seen", { of: "Event.firstTimestamp" }),
  wideColumn("Count", { of: "Event.count" }),
  { ...nameColumn, priority: 1 },
];

/** The fields of both event versions, under one set of names. */
interface AnyEvent {
  readonly name: string | undefined;
  readonly first: string | null | undefined;
  readonly last: string | null | undefined;
  readonly eventTime: string | null | undefined;
  readonly count: number | undefined;
  readonly series:
    | { readonly count?: number | undefined; readonly lastObservedTime?: string | undefined }
    | undefined;
  readonly type: string | undefined;
  readonly reason: string | undefined;
  readonly about: ObjectReference | undefined;
  readonly source: EventSource | undefined;
  readonly controller: string | undefined;
  readonly instance: string | undefined;
  readonly message: string | undefined;
}

function cells(event: AnyEvent, { age }: PrintContext): Cell[] {
  const first = age(event.first || event.eventTime);
  const last = event.last ? age(event.last) : first;
  const { series, about } = event;
  const kind = (about?.kind ?? "").toLowerCase();
  return [
    series ? age(series.lastObservedTime) : last,
    event.type ?? "",
    event.reason ?? "",
    about?.name ? `${kind}/${about.name}` : kind,
    about?.fieldPath ?? "",
    [event.source?.component || event.controller || "", event.source?.host || event.instance || ""]
      .filter((part, i) => i === 0 || part !== "")
      .join(", "),
    (event.message ?? "").trim(),
    first,
    series ? (series.count ?? 0) : event.count || 1,
    event.name ?? "",
  ];
}

const coreEvent = definePrinter(Event, columns, (event, context) =>
  cells(
    {
      name: event.metadata?.name,
      first: event.firstTimestamp,
      last: event.lastTimestamp,
      eventTime: event.eventTime,
      count: event.count,
      series: event.series,
      type: event.type,
      reason: event.reason,
      about: event.involvedObject,
      source: event.source,
      controller: event.reportingComponent,
      instance: event.reportingInstance,
      message: event.message,
    },
    context,
  ),
);

const newEvent = definePrinter(EventsV1Event, columns, (event, context) =>
  cells(
    {
      name: event.metadata?.name,
      first: event.deprecatedFirstTimestamp,
      last: event.deprecatedLastTimestamp,
      eventTime: event.eventTime,
      count: event.deprecatedCount,
      series: event.series,
      type: event.type,
      reason: event.reason,
      about: event.regarding,
      source: event.deprecatedSource,
      controller: event.reportingController,
      instance: event.reportingInstance,
      message: event.note,
    },
    context,
  ),
);

export const eventPrinters: readonly TablePrinter[] = [coreEvent, newEvent];
