import type { OwnerReference } from "@kubewright/api";

/** A child could not be declared because an object of its name is not ours: it is left alone. */
export class ForeignChildError extends Error {
  override readonly name = "ForeignChildError";
  /** `Deployment shop/web`. */
  readonly child: string;
  /** Who controls it; undefined when nobody does. */
  readonly controller: OwnerReference | undefined;

  constructor(child: string, controller?: OwnerReference, options?: ErrorOptions) {
    const whose = controller
      ? `is controlled by ${controller.kind} ${controller.name}`
      : "is nobody's, and not ours";
    super(`${child} ${whose}; it is left alone: delete it, or choose another name`, options);
    this.child = child;
    this.controller = controller;
  }
}
