// LimitRanges: how small, large and lopsided single objects may be, and what they get when they do not say.
import {
  Amount,
  type Draft,
  type FieldError,
  fieldError,
  type LimitRange,
  type LimitRangeItem,
  type Quantity,
  validateQualifiedName,
} from "@kubewright/api";
import type { BuiltInKind } from "../built-in-kind.js";
import { checkEach } from "../check-each.js";
import { invalidBecause } from "../field-rules.js";
import type { DraftObject } from "../objects.js";
import { draftAs } from "../objects.js";
import {
  allowsOvercommit,
  validateContainerResourceName,
  validateResourceName,
} from "../pod/resource-names.js";
import { mergeResources, roundResources } from "../resource-lists.js";

type Item = Draft<LimitRangeItem>;
const parts = ["max", "min", "default", "defaultRequest", "maxLimitRequestRatio"] as const;
const types = ["Pod", "Container", "PersistentVolumeClaim"];

export const limitRanges: BuiltInKind = {
  resource: "limitranges",
  strategy: {
    metadata: { onUpdate: ["object"] },
    allowCreateOnUpdate: true,
    applyDefaults,
    prepareForCreate(object, { newUid }) {
      if (!object.metadata.name) object.metadata.name = newUid();
    },
    validateCreate: (object) => validateLimits(draftAs<LimitRange>(object).spec?.limits ?? []),
    validateUpdate: (object) => validateLimits(draftAs<LimitRange>(object).spec?.limits ?? []),
  },
};

/** Containers that say nothing get the maximum as limit, and the limit or the minimum as request. */
function defaultItem(item: Item): void {
  for (const part of parts) roundResources(item[part]);
  if (item.type !== "Container") return;
  const limits = mergeResources(item.max, item.default);
  const requests = mergeResources(item.min, limits, item.defaultRequest);
  if (limits) item.default = limits;
  if (requests) item.defaultRequest = requests;
}

function applyDefaults(object: DraftObject): void {
  for (const item of draftAs<LimitRange>(object).spec?.limits ?? []) defaultItem(item);
}

function validateLimits(items: readonly Item[]): FieldError[] {
  const seen = new Set<string>();
  return checkEach(items, (item, index) => {
    const field = `spec.limits[${index}]`;
    const twice = seen.has(item.type) ? [fieldError.duplicate(`${field}.type`, item.type)] : [];
    seen.add(item.type);
    return [...typeErrors(item.type, `${field}.type`), ...twice, ...itemErrors(item, field)];
  });
}

function typeErrors(type: string, field: string): FieldError[] {
  const errors = invalidBecause(validateQualifiedName(type), type, field);
  if (errors.length > 0 || type.includes("/") || types.includes(type)) return errors;
  return [fieldError.invalid(field, type, "must be a standard limit type or fully qualified")];
}

function itemErrors(item: Item, field: string): FieldError[] {
  const errors: FieldError[] = [];
  const nameRule =
    item.type === "Pod" || item.type === "Container" ? validateContainerResourceName : validateResourceName;
  for (const part of parts) {
    const list = item[part] ?? {};
    const isDefault = part === "default" || part === "defaultRequest";
    if (item.type === "Pod" && isDefault) {
      if (Object.keys(list).length > 0)
        errors.push(fieldError.forbidden(`${field}.${part}`, "may not be specified when `type` is 'Pod'"));
      continue;
    }
    errors.push(...checkEach(Object.keys(list), (name) => nameRule(name, `${field}.${part}[${name}]`)));
  }
  if (item.type === "PersistentVolumeClaim" && !item.min?.["storage"] && !item.max?.["storage"]) {
    const text = "either minimum or maximum storage value is required, but neither was provided";
    errors.push(fieldError.required(`${field}.limits`, text));
  }
  const names = new Set(parts.flatMap((part) => Object.keys(item[part] ?? {})));
  return [...errors, ...checkEach([...names], (name) => orderErrors(item, name, field))];
}

/** Two amounts of which the first must not exceed the second; the message and the value shown are the server's. */
interface Order {
  readonly low: keyof Item;
  readonly high: keyof Item;
  readonly at: keyof Item;
  readonly shown: keyof Item;
  readonly says: readonly [string, string];
}

const orders: readonly Order[] = [
  { low: "min", high: "max", at: "min", shown: "min", says: ["min", "max"] },
  {
    low: "min",
    high: "defaultRequest",
    at: "defaultRequest",
    shown: "defaultRequest",
    says: ["min", "default request"],
  },
  {
    low: "defaultRequest",
    high: "max",
    at: "defaultRequest",
    shown: "defaultRequest",
    says: ["default request", "max"],
  },
  {
    low: "defaultRequest",
    high: "default",
    at: "defaultRequest",
    shown: "defaultRequest",
    says: ["default request", "default limit"],
  },
  { low: "min", high: "default", at: "default", shown: "min", says: ["min", "default"] },
  { low: "default", high: "max", at: "default", shown: "max", says: ["default", "max"] },
];

/** Resources may be called as anything of every object is. */
const quantityIn = (
  list: Readonly<Record<string, Quantity>> | undefined,
  name: string,
): Quantity | undefined => (list && Object.hasOwn(list, name) ? list[name] : undefined);

function orderErrors(item: Item, name: string, field: string): FieldError[] {
  const amount = (part: keyof Item): Amount | undefined => {
    const hidden = item.type === "Pod" && (part === "default" || part === "defaultRequest");
    const list = hidden ? undefined : (item[part] as Readonly<Record<string, Quantity>> | undefined);
    const quantity = quantityIn(list, name);
    return quantity === undefined ? undefined : Amount.parse(quantity);
  };
  const errors = orders.flatMap(({ low, high, at, shown, says }) => {
    const less = amount(low);
    const more = amount(high);
    if (!less || !more || less.compare(more) <= 0) return [];
    const text = `${says[0]} value ${less} is greater than ${says[1]} value ${more}`;
    return [fieldError.invalid(`${field}.${at}[${name}]`, amount(shown)?.toString(), text)];
  });
  return [...errors, ...ratioErrors(item, name, field), ...overcommitErrors(item, name, field)];
}

function ratioErrors(item: Item, name: string, field: string): FieldError[] {
  const quantity = quantityIn(item.maxLimitRequestRatio, name);
  if (quantity === undefined) return [];
  const ratio = Amount.parse(quantity);
  const at = `${field}.maxLimitRequestRatio[${name}]`;
  const errors =
    ratio.compare(Amount.of(1)) < 0
      ? [fieldError.invalid(at, ratio.toString(), `ratio ${ratio} is less than 1`)]
      : [];
  const min = quantityIn(item.min, name);
  const max = quantityIn(item.max, name);
  if (min === undefined || max === undefined) return errors;
  const most = Amount.parse(max).toNumber() / Amount.parse(min).toNumber();
  if (ratio.toNumber() <= most) return errors;
  const text = `ratio ${ratio} is greater than max/min = ${most.toFixed(6)}`;
  return [...errors, fieldError.invalid(at, ratio.toString(), text)];
}

function overcommitErrors(item: Item, name: string, field: string): FieldError[] {
  const limit = quantityIn(item.default, name);
  const request = quantityIn(item.defaultRequest, name);
  if (item.type === "Pod" || allowsOvercommit(name) || limit === undefined || request === undefined)
    return [];
  if (Amount.parse(limit).compare(Amount.parse(request)) === 0) return [];
  const text = `default value ${limit} must equal to defaultRequest value ${request} in ${name}`;
  return [fieldError.invalid(`${field}.defaultRequest[${name}]`, String(request), text)];
}
