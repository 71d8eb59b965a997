// Volumes on network disks. Most of these drivers have left Kubernetes, but the server still validates their parameters.
import {
  type FieldError,
  fieldError,
  type PersistentVolumeSpec,
  type Volume,
  validateDns1123Label,
} from "@kubewright/api";
import { invalidBecause, oneOfIfSet, requiredLabel, requiredText } from "../field-rules.js";

const between = (low: number, high: number): string => `must be between ${low} and ${high}, inclusive`;

/** Errors of whichever of these sources the volume has. */
export function validateDiskSource(volume: Volume, field: string): FieldError[] {
  const { gcePersistentDisk, awsElasticBlockStore, nfs, iscsi, fc, glusterfs, flocker, quobyte } = volume;
  if (gcePersistentDisk)
    return [
      ...requiredText(gcePersistentDisk.pdName, `${field}.persistentDisk.pdName`),
      ...partitionErrors(gcePersistentDisk.partition, `${field}.persistentDisk.partition`),
    ];
  if (awsElasticBlockStore)
    return [
      ...requiredText(awsElasticBlockStore.volumeID, `${field}.awsElasticBlockStore.volumeID`),
      ...partitionErrors(awsElasticBlockStore.partition, `${field}.awsElasticBlockStore.partition`),
    ];
  if (nfs) return nfsErrors(nfs, `${field}.nfs`);
  if (iscsi) return iscsiErrors(volume.name, iscsi, field);
  if (fc) return fcErrors(fc, `${field}.fc`);
  if (glusterfs)
    return [
      ...requiredText(glusterfs.endpoints, `${field}.glusterfs.endpoints`),
      ...requiredText(glusterfs.path, `${field}.glusterfs.path`),
    ];
  if (flocker) return flockerErrors(flocker, `${field}.flocker`);
  if (quobyte) return quobyteErrors(quobyte, `${field}.quobyte`);
  return otherErrors(volume, field);
}

function partitionErrors(partition: number | undefined, field: string): FieldError[] {
  if (partition === undefined || (partition >= 0 && partition <= 255)) return [];
  return [fieldError.invalid(field, partition, between(1, 255))];
}

function nfsErrors({ server, path }: NonNullable<Volume["nfs"]>, field: string): FieldError[] {
  const errors = [...requiredText(server, `${field}.server`), ...requiredText(path, `${field}.path`)];
  if (!path.startsWith("/"))
    errors.push(fieldError.invalid(`${field}.path`, path, "must be an absolute path"));
  return errors;
}

function iscsiErrors(name: string, iscsi: NonNullable<Volume["iscsi"]>, volumeField: string): FieldError[] {
  const field = `${volumeField}.iscsi`;
  const { targetPortal, iqn, initiatorName } = iscsi;
  const errors = [
    ...requiredText(targetPortal, `${field}.targetPortal`),
    ...(iqn ? validateIscsiName(iqn, `${field}.iqn`) : [fieldError.required(`${field}.iqn`)]),
    ...validateIscsiSession(iscsi, field),
  ];
  if (initiatorName === undefined) return errors;
  errors.push(...validateIscsiName(initiatorName, `${field}.initiatorname`));
  if (`${name}:${targetPortal}`.length > maxTarget)
    errors.push(fieldError.invalid(`${volumeField}.name`, name, longTarget));
  return errors;
}

/** So long may the name of a volume and its target be together. */
export const maxTarget = 64;
/** The message for targets that are longer. */
export const longTarget =
  "Total length of <volume name>:<iscsi.targetPortal> must be under 64 characters if iscsi.initiatorName is specified.";

/** The rules for targets of every volume: their LUN, and a secret where one is required. */
export const validateIscsiSession = (
  { lun, chapAuthDiscovery, chapAuthSession, secretRef }: NonNullable<PersistentVolumeSpec["iscsi"]>,
  field: string,
): FieldError[] => [
  ...(lun < 0 || lun > 255 ? [fieldError.invalid(`${field}.lun`, lun, between(0, 255))] : []),
  ...((chapAuthDiscovery || chapAuthSession) && !secretRef
    ? [fieldError.required(`${field}.secretRef`)]
    : []),
];

const iscsiNames: Readonly<Record<string, RegExp>> = {
  iqn: /iqn\.\d{4}-\d{2}\.([a-zA-Z0-9.-]+)(:[^,;*&$|\s]+)$/,
  eui: /^eui.[a-zA-Z0-9]{16}$/,
  naa: /^naa.[a-zA-Z0-9]{32}$/,
};

/** The name of a target or of who asks for it; `otherwise` is the message for names of no known form. */
export function validateIscsiName(
  name: string,
  field: string,
  otherwise = "must be valid format starting with iqn, eui, or naa",
): FieldError[] {
  const shape = iscsiNames[name.slice(0, 3)];
  if (!shape) return [fieldError.invalid(field, name, otherwise)];
  return shape.test(name) ? [] : [fieldError.invalid(field, name, "must be valid format")];
}

function fcErrors(
  { targetWWNs = [], wwids = [], lun }: NonNullable<Volume["fc"]>,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (targetWWNs.length === 0 && wwids.length === 0) {
    const text = "must specify either targetWWNs or wwids, but not both";
    errors.push(fieldError.required(`${field}.targetWWNs`, text));
  }
  if (targetWWNs.length === 0) return errors;
  if (wwids.length > 0) {
    const text = "targetWWNs and wwids can not be specified simultaneously";
    errors.push(fieldError.invalid(`${field}.targetWWNs`, targetWWNs, text));
  }
  if (lun === undefined)
    errors.push(fieldError.required(`${field}.lun`, "lun is required if targetWWNs is specified"));
  else if (lun < 0 || lun > 255) errors.push(fieldError.invalid(`${field}.lun`, lun, between(0, 255)));
  return errors;
}

function flockerErrors(
  { datasetName, datasetUUID }: NonNullable<Volume["flocker"]>,
  field: string,
): FieldError[] {
  const errors: FieldError[] = [];
  if (!datasetName && !datasetUUID)
    errors.push(fieldError.required(field, "one of datasetName and datasetUUID is required"));
  if (datasetName && datasetUUID) {
    const text = "datasetName and datasetUUID can not be specified simultaneously";
    errors.push(fieldError.invalid(field, "resource", text));
  }
  if (datasetName?.includes("/"))
    errors.push(fieldError.invalid(`${field}.datasetName`, datasetName, "must not contain '/'"));
  return errors;
}

function quobyteErrors(
  { registry, tenant, volume }: NonNullable<Volume["quobyte"]>,
  field: string,
): FieldError[] {
  const pairs = "must be a host:port pair or multiple pairs separated by commas";
  const errors: FieldError[] = [];
  if (!registry) errors.push(fieldError.required(`${field}.registry`, pairs));
  else if ((tenant ?? "").length >= 65) {
    const text = "must be a UUID and may not exceed a length of 64 characters";
    errors.push(fieldError.required(`${field}.tenant`, text));
  } else {
    const wrong = registry.split(",").filter((pair) => !/^(?:[^:[\]]*|\[[^[\]]*\]):[^:]*$/.test(pair));
    errors.push(...wrong.map(() => fieldError.invalid(`${field}.registry`, registry, pairs)));
  }
  return [...errors, ...requiredText(volume, `${field}.volume`)];
}

function otherErrors(volume: Volume, field: string): FieldError[] {
  const { rbd, cinder, cephfs, flexVolume, azureFile, vsphereVolume, photonPersistentDisk } = volume;
  const { portworxVolume, scaleIO, azureDisk, storageos } = volume;
  if (rbd) {
    const monitors = (rbd.monitors ?? []).length === 0 ? [fieldError.required(`${field}.rbd.monitors`)] : [];
    return [...monitors, ...requiredText(rbd.image, `${field}.rbd.image`)];
  }
  if (cephfs)
    return (cephfs.monitors ?? []).length === 0 ? [fieldError.required(`${field}.cephfs.monitors`)] : [];
  if (cinder)
    return [
      ...requiredText(cinder.volumeID, `${field}.cinder.volumeID`),
      ...(cinder.secretRef ? requiredText(cinder.secretRef.name, `${field}.cinder.secretRef.name`) : []),
    ];
  if (flexVolume) return flexErrors(flexVolume, `${field}.flexVolume`);
  if (azureFile)
    return [
      ...requiredText(azureFile.secretName, `${field}.azureFile.secretName`),
      ...requiredText(azureFile.shareName, `${field}.azureFile.shareName`),
    ];
  if (vsphereVolume) return requiredText(vsphereVolume.volumePath, `${field}.vsphereVolume.volumePath`);
  if (photonPersistentDisk)
    return requiredText(photonPersistentDisk.pdID, `${field}.photonPersistentDisk.pdID`);
  if (portworxVolume) return requiredText(portworxVolume.volumeID, `${field}.portworxVolume.volumeID`);
  if (scaleIO)
    return [
      ...requiredText(scaleIO.gateway, `${field}.scaleIO.gateway`),
      ...requiredText(scaleIO.system, `${field}.scaleIO.system`),
      ...requiredText(scaleIO.volumeName, `${field}.scaleIO.volumeName`),
    ];
  if (storageos) return storageOsErrors(storageos, `${field}.storageos`);
  return azureDisk ? azureDiskErrors(azureDisk, `${field}.azureDisk`) : [];
}

function flexErrors({ driver, options }: NonNullable<Volume["flexVolume"]>, field: string): FieldError[] {
  const reserved = Object.keys(options ?? {}).filter((key) => {
    const domain = `.${(key.includes("/") ? key.slice(0, key.indexOf("/")) : key).toLowerCase()}`;
    return domain.endsWith(".kubernetes.io") || domain.endsWith(".k8s.io");
  });
  return [
    ...requiredText(driver, `${field}.driver`),
    ...reserved.map((key) =>
      fieldError.invalid(`${field}.options[${key}]`, key, "kubernetes.io and k8s.io namespaces are reserved"),
    ),
  ];
}

function storageOsErrors(storageos: NonNullable<Volume["storageos"]>, field: string): FieldError[] {
  const { volumeName, volumeNamespace, secretRef } = storageos;
  return [
    ...requiredLabel(volumeName, `${field}.volumeName`),
    ...(volumeNamespace
      ? invalidBecause(validateDns1123Label(volumeNamespace), volumeNamespace, `${field}.volumeNamespace`)
      : []),
    ...(secretRef ? requiredText(secretRef.name, `${field}.secretRef.name`) : []),
  ];
}

function azureDiskErrors(disk: NonNullable<Volume["azureDisk"]>, field: string): FieldError[] {
  const { diskName, diskURI, cachingMode, kind } = disk;
  const errors = [
    ...requiredText(diskName, `${field}.diskName`),
    ...requiredText(diskURI, `${field}.diskURI`),
    ...oneOfIfSet(cachingMode, ["None", "ReadOnly", "ReadWrite"], `${field}.cachingMode`),
    ...oneOfIfSet(kind, ["Dedicated", "Managed", "Shared"], `${field}.kind`),
  ];
  const managed =
    "/subscriptions/{sub-id}/resourcegroups/{group-name}/providers/microsoft.compute/disks/{disk-id}";
  const blob = "https://{account-name}.blob.core.windows.net/{container-name}/{disk-name}.vhd";
  if (kind === "Managed" && !diskURI.startsWith("/subscriptions/"))
    errors.push(fieldError.notSupported(`${field}.diskURI`, diskURI, [managed]));
  if (kind !== undefined && kind !== "Managed" && !diskURI.startsWith("https://"))
    errors.push(fieldError.notSupported(`${field}.diskURI`, diskURI, [blob]));
  return errors;
}
