// Lists as sets: `sets.contains`, `sets.equivalent`, `sets.intersects`.
import { add, multiply, one, scale } from "../cost.js";
import { type Costs, declare, globalOverload, type Library } from "../declarations.js";
import { type AnyList, isList, on2 } from "../guards.js";
import { boolType, listType, paramType } from "../types.js";
import { equals } from "../values/equality.js";
import { listGet, listSize } from "../values/list.js";
import type { Meter } from "../values/meter.js";
import { sizeOf } from "../values/value.js";
import { argSize } from "./prices.js";

function has(list: AnyList, item: unknown, meter: Meter): boolean {
  const size = listSize(list);
  meter.work(size);
  for (let index = 0; index < size; index += 1) {
    if (equals(listGet(list, index), item, meter)) return true;
  }
  return false;
}

function contains(list: AnyList, part: AnyList, meter: Meter): boolean {
  for (let index = 0; index < listSize(part); index += 1) {
    if (!has(list, listGet(part, index), meter)) return false;
  }
  return true;
}

function intersects(a: AnyList, b: AnyList, meter: Meter): boolean {
  for (let index = 0; index < listSize(a); index += 1) {
    if (has(b, listGet(a, index), meter)) return true;
  }
  return false;
}

/** Every element of one is compared with every element of the other, so many times. */
const comparesAll = (times: number): Costs => ({
  cost: ([a, b]) => 1 + sizeOf(a) * sizeOf(b) * times,
  estimate: (call) => ({ cost: add(scale(multiply(argSize(call, 0), argSize(call, 1)), times), one) }),
});

const list = listType(paramType("T"));
const set = (
  name: string,
  id: string,
  run: (a: AnyList, b: AnyList, meter: Meter) => boolean,
  times: number,
) => declare(name, globalOverload(id, [list, list], boolType, on2(isList, isList, run), comparesAll(times)));

/** CEL's set extension. */
export const setLibrary: Library = {
  functions: [
    set("sets.contains", "list_sets_contains_list", contains, 1),
    set(
      "sets.equivalent",
      "list_sets_equivalent_list",
      (a, b, meter) => contains(a, b, meter) && contains(b, a, meter),
      2,
    ),
    set("sets.intersects", "list_sets_intersects_list", intersects, 1),
  ],
};
