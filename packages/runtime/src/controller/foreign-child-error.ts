import type { OwnerReference } from "@kubewright/api";

/** A child could not be declared because an object of its name is not ours: it is left alone. */
export class ForeignChildError extends Error {
  override readonly name = "ForeignChildError";
  /** `Deployment shop/web`. */
  readonly child: string;
  /** Its controller; undefined when it has none. */
  readonly controller: OwnerReference | undefined;

  constructor(child: string, controller?: OwnerReference, options?: ErrorOptions) {
    const whose = controller
      ? `is controlled by ${controller.kind} ${controller.name}`
      : "has no controller and is not adopted";
    super(`${child} ${whose}; it is left alone: delete it, or choose another name`, options);
    this.child = child;
    this.controller = controller;
  }
}
