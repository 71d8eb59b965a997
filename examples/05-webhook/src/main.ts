// What a schema cannot state: a default that depends on the user, and a rule about other objects.
import { fieldError, type ObjectOf } from "@kubewright/api";
import { defineManager, defineWebhook } from "@kubewright/runtime";
import { defineResource, rule, z } from "@kubewright/schema";

export const Booking = defineResource({
  group: "examples.kubewright.dev",
  version: "v1",
  kind: "Booking",
  spec: z
    .object({
      room: z.string().min(1).max(40),
      from: z.int().min(0).max(23).describe("The first hour"),
      until: z.int().min(1).max(24).describe("The hour it ends"),
      by: z.string().optional().describe("Default: the user who creates it"),
    })
    // A rule about one object needs no webhook: the API server checks it.
    .check(
      rule("self.from < self.until", { message: "a booking ends after it begins", fieldPath: ".until" }),
    ),
  columns: { Room: ".spec.room", From: ".spec.from", Until: ".spec.until", By: ".spec.by" },
});
type Booking = ObjectOf<typeof Booking>;

const bookingWebhook = defineWebhook(Booking, {
  uses: [Booking], // what the handlers may read; the RBAC role follows from this
  default(booking, ctx) {
    booking.spec.by ??= ctx.user.username; // a draft: change it in place
  },
  async validate(booking, ctx) {
    if (booking.spec.until - booking.spec.from > 8)
      ctx.warn("long bookings are moved when a team needs the room");
    const others = await ctx.list(Booking, { namespace: booking.metadata.namespace });
    const taken = others.find((other) => collides(booking, other));
    return (
      taken && fieldError.invalid("spec.from", booking.spec.from, `${taken.metadata.name} has the room then`)
    );
  },
});

function collides(one: Booking, other: Booking): boolean {
  if (one.metadata.name === other.metadata.name || one.spec.room !== other.spec.room) return false;
  return one.spec.from < other.spec.until && other.spec.from < one.spec.until;
}

export default defineManager({
  name: "booking",
  resources: [Booking], // no controller is for it, so its CRD is named here
  controllers: [],
  webhooks: [bookingWebhook],
});
