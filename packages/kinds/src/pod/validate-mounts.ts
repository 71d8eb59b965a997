// The volume mounts and volume devices of a container.
import {
  type Container,
  type FieldError,
  fieldError,
  type Volume,
  type VolumeDevice,
  type VolumeMount,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { oneOfIfSet } from "../field-rules.js";
import { validateDescendingPath, validateNoBacksteps } from "./validate-path.js";

/** The volumes of a pod by name; only valid ones count. */
export type Volumes = ReadonlyMap<string, Volume>;
type Mounting = Pick<Container, "volumeMounts" | "volumeDevices" | "securityContext">;

const propagations = ["Bidirectional", "HostToContainer", "None"];

/** The mounts of one container. */
export function validateMounts(container: Mounting, volumes: Volumes, field: string): FieldError[] {
  const paths = new Set<string>();
  const devices = container.volumeDevices ?? [];
  const deviceNames = new Set(devices.map(({ name }) => name));
  const devicePaths = new Set(devices.map(({ devicePath }) => devicePath));
  return checkEach(container.volumeMounts ?? [], (mount, index) => {
    const at = `${field}[${index}]`;
    const errors = placeErrors(mount, volumes, at);
    if (paths.has(mount.mountPath))
      errors.push(fieldError.invalid(`${at}.mountPath`, mount.mountPath, "must be unique"));
    paths.add(mount.mountPath);
    if (deviceNames.has(mount.name))
      errors.push(fieldError.invalid(`${at}.name`, mount.name, "must not already exist in volumeDevices"));
    if (devicePaths.has(mount.mountPath)) {
      const text = "must not already exist as a path in volumeDevices";
      errors.push(fieldError.invalid(`${at}.mountPath`, mount.mountPath, text));
    }
    return [
      ...errors,
      ...subPathErrors(mount, at, field),
      ...propagationErrors(mount, container, `${field}.mountPropagation`),
      ...recursiveReadOnlyErrors(mount, `${field}.recursiveReadOnly`),
    ];
  });
}

function placeErrors({ name, mountPath }: VolumeMount, volumes: Volumes, at: string): FieldError[] {
  return [
    ...(name ? [] : [fieldError.required(`${at}.name`)]),
    ...(volumes.has(name) ? [] : [fieldError.notFound(`${at}.name`, name)]),
    ...(mountPath ? [] : [fieldError.required(`${at}.mountPath`)]),
  ];
}

/** Paths below a volume; kube-apiserver reports some of them against the list instead of the item. */
function subPathErrors({ subPath, subPathExpr }: VolumeMount, at: string, list: string): FieldError[] {
  const errors = subPath ? validateDescendingPath(subPath, `${list}.subPath`) : [];
  if (!subPathExpr) return errors;
  if (subPath)
    errors.push(
      fieldError.invalid(`${at}.subPathExpr`, subPathExpr, "subPathExpr and subPath are mutually exclusive"),
    );
  return [...errors, ...validateDescendingPath(subPathExpr, `${list}.subPathExpr`)];
}

function propagationErrors(
  { mountPropagation }: VolumeMount,
  { securityContext }: Mounting,
  field: string,
): FieldError[] {
  const errors = oneOfIfSet(mountPropagation, propagations, field);
  if (mountPropagation === "Bidirectional" && !securityContext?.privileged) {
    const text = "Bidirectional mount propagation is available only to privileged containers";
    errors.push(fieldError.forbidden(field, text));
  }
  return errors;
}

function recursiveReadOnlyErrors(mount: VolumeMount, field: string): FieldError[] {
  const { recursiveReadOnly, readOnly, mountPropagation } = mount;
  if (recursiveReadOnly === undefined || recursiveReadOnly === "Disabled") return [];
  if (recursiveReadOnly !== "Enabled" && recursiveReadOnly !== "IfPossible") {
    return [fieldError.notSupported(field, recursiveReadOnly, ["Disabled", "Enabled", "IfPossible"])];
  }
  const errors: FieldError[] = [];
  if (!readOnly) errors.push(fieldError.forbidden(field, "may only be specified when readOnly is true"));
  if (mountPropagation !== undefined && mountPropagation !== "None") {
    const text = "may only be specified when mountPropagation is None or not specified";
    errors.push(fieldError.forbidden(field, text));
  }
  return errors;
}

/** The raw devices of one container. */
export function validateDevices(container: Mounting, volumes: Volumes, field: string): FieldError[] {
  const names = new Set<string>();
  const paths = new Set<string>();
  const mounts = container.volumeMounts ?? [];
  const mounted = new Set(mounts.map(({ name }) => name));
  const mountPaths = new Set(mounts.map(({ mountPath }) => mountPath));
  return checkEach(container.volumeDevices ?? [], (device, index) => {
    const errors = deviceErrors(device, volumes, names, paths, `${field}[${index}]`);
    if (mounted.has(device.name)) {
      const text = "must not already exist in volumeMounts";
      errors.push(fieldError.invalid(`${field}[${index}].name`, device.name, text));
    }
    if (mountPaths.has(device.devicePath)) {
      const text = "must not already exist as a path in volumeMounts";
      errors.push(fieldError.invalid(`${field}[${index}].devicePath`, device.devicePath, text));
    }
    return errors;
  });
}

function deviceErrors(
  { name, devicePath }: VolumeDevice,
  volumes: Volumes,
  names: Set<string>,
  paths: Set<string>,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const volume = volumes.get(name);
  if (!name) errors.push(fieldError.required(`${field}.name`));
  if (names.has(name)) errors.push(fieldError.invalid(`${field}.name`, name, "must be unique"));
  if (volume && !volume.persistentVolumeClaim && !volume.ephemeral) {
    const text = "can only use volume source type of PersistentVolumeClaim or Ephemeral for block mode";
    errors.push(fieldError.invalid(`${field}.name`, name, text));
  }
  if (!volume) errors.push(fieldError.notFound(`${field}.name`, name));
  if (!devicePath) errors.push(fieldError.required(`${field}.devicePath`));
  if (paths.has(devicePath))
    errors.push(fieldError.invalid(`${field}.devicePath`, devicePath, "must be unique"));
  if (devicePath && validateNoBacksteps(devicePath, "").length > 0)
    errors.push(fieldError.invalid(`${field}.devicePath`, devicePath, "can not contain backsteps ('..')"));
  else paths.add(devicePath);
  if (name) names.add(name);
  return errors;
}
