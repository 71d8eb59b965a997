// The checks of one item of a LimitRange, with Kubernetes' messages.
import { Amount, type LimitRangeItem, type Quantity } from "@kubewright/api";

type Amounts = Readonly<Record<string, Quantity>>;

/** The requests and limits of a container or of a pod as a whole. */
export interface Asked {
  readonly requests: Amounts;
  readonly limits: Amounts;
}

/** The constraints that a container or pod breaks. */
export function limitProblems(limit: LimitRangeItem, asked: Asked): string[] {
  const type = limit.type ?? "";
  return [
    ...each(limit.min, (name, enforced) => tooLittle(type, name, enforced, asked)),
    ...each(limit.max, (name, enforced) => tooMuch(type, name, enforced, asked)),
    ...each(limit.maxLimitRequestRatio, (name, enforced) => tooFarApart(type, name, enforced, asked)),
  ];
}

/** The constraints that a claim breaks; claims have no limits of their own. */
export function claimProblems(limit: LimitRangeItem, asked: Asked): string[] {
  const type = limit.type ?? "";
  return [
    ...each(limit.min, (name, enforced) => tooLittle(type, name, enforced, asked)),
    ...each(limit.max, (name, enforced) => tooMuchRequested(type, name, enforced, asked.requests)),
  ];
}

function each(
  list: Amounts | undefined,
  check: (name: string, enforced: Amount) => string | undefined,
): string[] {
  return Object.entries(list ?? {}).flatMap(([name, quantity]) => check(name, Amount.parse(quantity)) ?? []);
}

function amountOf(list: Amounts, name: string): Amount | undefined {
  const quantity = Object.hasOwn(list, name) ? list[name] : undefined;
  return quantity === undefined ? undefined : Amount.parse(quantity);
}

function tooLittle(type: string, name: string, enforced: Amount, asked: Asked): string | undefined {
  const start = `minimum ${name} usage per ${type} is ${enforced}`;
  const request = amountOf(asked.requests, name);
  const limit = amountOf(asked.limits, name);
  if (!request) return `${start}.  No request is specified`;
  if (enforced.compare(request) > 0) return `${start}, but request is ${request}`;
  return limit && enforced.compare(limit) > 0 ? `${start}, but limit is ${limit}` : undefined;
}

function tooMuch(type: string, name: string, enforced: Amount, asked: Asked): string | undefined {
  const start = `maximum ${name} usage per ${type} is ${enforced}`;
  const request = amountOf(asked.requests, name);
  const limit = amountOf(asked.limits, name);
  if (!limit) return `${start}.  No limit is specified`;
  if (limit.compare(enforced) > 0) return `${start}, but limit is ${limit}`;
  return request && request.compare(enforced) > 0 ? `${start}, but request is ${request}` : undefined;
}

function tooMuchRequested(
  type: string,
  name: string,
  enforced: Amount,
  requests: Amounts,
): string | undefined {
  const start = `maximum ${name} usage per ${type} is ${enforced}`;
  const request = amountOf(requests, name);
  if (!request) return `${start}.  No request is specified`;
  return request.compare(enforced) > 0 ? `${start}, but request is ${request}` : undefined;
}

function tooFarApart(type: string, name: string, enforced: Amount, asked: Asked): string | undefined {
  const start = `${name} max limit to request ratio per ${type} is ${enforced}`;
  const request = amountOf(asked.requests, name);
  const limit = amountOf(asked.limits, name);
  if (!request || request.sign() === 0) return `${start}, but no request is specified or request is 0`;
  if (!limit || limit.sign() === 0) return `${start}, but no limit is specified or limit is 0`;
  const ratio = limit.toNumber() / request.toNumber();
  return ratio > enforced.toNumber() ? `${start}, but provided ratio is ${ratio.toFixed(6)}` : undefined;
}
