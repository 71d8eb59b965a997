// Scalars that JSON has no type for, as Kubernetes writes them.
import { z } from "zod";
import { annotate } from "../define/annotation.js";

const quantityPattern =
  /^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$/;

/** An integer or a string, such as a port by number or name, or a count or percentage. */
export function intOrString(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string()]);
}

/** An amount: `500m`, `1.5`, `10Gi`, or a plain integer. */
export function quantity(): z.ZodUnion<[z.ZodInt, z.ZodString]> {
  return z.union([z.int(), z.string().regex(quantityPattern)]);
}

/** A duration as Go writes it: `1h30m`. */
export function duration(): z.ZodString {
  return z.string().check(annotate({ keywords: { format: "duration" } }));
}

/** A time as RFC 3339 writes it: `2026-01-02T03:04:05Z`. */
export function time(): z.ZodString {
  return z.string().check(annotate({ keywords: { format: "date-time" } }));
}

/** Bytes in base64, as a Secret holds them. */
export function bytes(): z.ZodString {
  return z.string().check(annotate({ keywords: { format: "byte" } }));
}
