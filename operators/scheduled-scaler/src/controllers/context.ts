// The reconcile context of the timetable controller: the kinds it reads and writes.
import {
  type Deployment,
  type HorizontalPodAutoscaler,
  parseApiVersion,
  type ReplicaSet,
  type StatefulSet,
} from "@kubewright/api";
import type { ReconcileContext } from "@kubewright/runtime";
import { autoscaledBy } from "@kubewright/runtime/workload";
import type { HolidayCalendar } from "../api/v1/holiday-calendar.js";
import type { Hpa } from "../api/v1/hpa.js";

export type Context = ReconcileContext<
  typeof Hpa,
  | typeof Hpa
  | typeof HorizontalPodAutoscaler
  | typeof Deployment
  | typeof StatefulSet
  | typeof ReplicaSet
  | typeof HolidayCalendar,
  typeof HorizontalPodAutoscaler
>;

/** Names the index of autoscalers by the timetable that moved them. */
export const movedIndex = "moved-by";
/** Names the index of timetables by what they scale. */
export const targetIndex = "target";
/** Names the index of timetables by the calendars they name. */
export const calendarIndex = "calendar";

/** An object of some kind in the namespace of a timetable. */
export interface Target {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
}

/** The same for references to one object, whatever version they name. */
export function targetKey({ apiVersion, kind, name }: Target, namespace: string | undefined): string {
  const group = parseApiVersion(apiVersion)?.group ?? "";
  return autoscaledBy({ kind: { kind, group }, name, namespace });
}

export const isAutoscaler = ({ apiVersion, kind }: Target): boolean =>
  kind === "HorizontalPodAutoscaler" && parseApiVersion(apiVersion)?.group === "autoscaling";

export const nameOf = ({ metadata }: Hpa): string => metadata.name ?? "";
export const keyOf = ({ metadata }: Hpa): string => `${metadata.namespace}/${metadata.name}`;
export const described = ({ kind, name }: Target): string => `${kind} ${name}`;
