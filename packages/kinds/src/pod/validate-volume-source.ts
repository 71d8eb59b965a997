// Volumes that come from the node, the API or an image: what each source must say.
import {
  Amount,
  type DownwardAPIVolumeFile,
  type FieldError,
  fieldError,
  type KeyToPath,
  type Volume,
  validateDns1123Subdomain,
} from "@kubewright/api";
import { checkEach } from "../check-each.js";
import { validateCsiDriverName } from "../core/csi-driver-name.js";
import { invalidBecause, oneOf, oneOfIfSet, requiredText } from "../field-rules.js";
import {
  validateFieldReference,
  validateResourceReference,
  volumeFields,
} from "./validate-field-reference.js";
import {
  validateDescendingPath,
  validateMode,
  validateNoBacksteps,
  validateUnreservedPath,
} from "./validate-path.js";

const hostPathTypes = [
  "",
  "BlockDevice",
  "CharDevice",
  "Directory",
  "DirectoryOrCreate",
  "File",
  "FileOrCreate",
  "Socket",
];

/** Errors of whichever of these sources the volume has. */
export function validateFileSource(volume: Volume, isPod: boolean, field: string): FieldError[] {
  const { emptyDir, hostPath, gitRepo, secret, configMap, downwardAPI, persistentVolumeClaim, csi, image } =
    volume;
  if (emptyDir) return emptyDirErrors(emptyDir, `${field}.emptyDir`);
  if (hostPath) return hostPathErrors(hostPath, `${field}.hostPath`);
  if (gitRepo)
    return [
      ...requiredText(gitRepo.repository, `${field}.gitRepo.repository`),
      ...validateDescendingPath(gitRepo.directory ?? "", `${field}.gitRepo.directory`),
    ];
  if (secret)
    return [
      ...requiredText(secret.secretName, `${field}.secret.secretName`),
      ...filesErrors(secret, `${field}.secret`),
    ];
  if (configMap)
    return [
      ...requiredText(configMap.name, `${field}.configMap.name`),
      ...filesErrors(configMap, `${field}.configMap`),
    ];
  if (downwardAPI)
    return [
      ...validateMode(downwardAPI.defaultMode, `${field}.downwardAPI.defaultMode`),
      ...checkEach(downwardAPI.items ?? [], (file) => validateDownwardFile(file, `${field}.downwardAPI`)),
    ];
  if (persistentVolumeClaim)
    return requiredText(persistentVolumeClaim.claimName, `${field}.persistentVolumeClaim.claimName`);
  if (csi) return csiErrors(csi, `${field}.csi`);
  return image ? imageErrors(image, isPod, `${field}.image`) : [];
}

function emptyDirErrors({ sizeLimit }: NonNullable<Volume["emptyDir"]>, field: string): FieldError[] {
  if (sizeLimit === undefined || Amount.parse(sizeLimit).sign() >= 0) return [];
  return [fieldError.forbidden(`${field}.sizeLimit`, "SizeLimit field must be a valid resource quantity")];
}

function hostPathErrors({ path, type }: NonNullable<Volume["hostPath"]>, field: string): FieldError[] {
  if (!path) return [fieldError.required(`${field}.path`)];
  return [...validateNoBacksteps(path, `${field}.path`), ...oneOfIfSet(type, hostPathTypes, `${field}.type`)];
}

function filesErrors(
  source: { readonly defaultMode?: number | undefined; readonly items?: readonly KeyToPath[] | undefined },
  field: string,
): FieldError[] {
  return [
    ...validateMode(source.defaultMode, `${field}.defaultMode`),
    ...checkEach(source.items ?? [], (item, index) => validateKeyToPath(item, `${field}.items[${index}]`)),
  ];
}

/** One key as a file. */
export const validateKeyToPath = ({ key, path, mode }: KeyToPath, field: string): FieldError[] => [
  ...requiredText(key, `${field}.key`),
  ...requiredText(path, `${field}.path`),
  ...validateUnreservedPath(path ?? "", `${field}.path`),
  ...validateMode(mode, `${field}.mode`),
];

/** One field of the pod as a file; the server reports it against the volume, not the item. */
export function validateDownwardFile(file: DownwardAPIVolumeFile, field: string): FieldError[] {
  const { path, fieldRef, resourceFieldRef, mode } = file;
  const errors = [
    ...requiredText(path, `${field}.path`),
    ...validateUnreservedPath(path ?? "", `${field}.path`),
  ];
  if (fieldRef) {
    errors.push(...validateFieldReference(fieldRef, volumeFields, `${field}.fieldRef`));
    if (resourceFieldRef) {
      const text = "fieldRef and resourceFieldRef can not be specified simultaneously";
      errors.push(fieldError.invalid(field, "resource", text));
    }
  } else if (resourceFieldRef) {
    errors.push(...validateResourceReference(resourceFieldRef, `${field}.resourceFieldRef`, true));
  } else errors.push(fieldError.required(field, "one of fieldRef and resourceFieldRef is required"));
  return [...errors, ...validateMode(mode, `${field}.mode`)];
}

function csiErrors(
  { driver, nodePublishSecretRef }: NonNullable<Volume["csi"]>,
  field: string,
): FieldError[] {
  const errors = validateCsiDriverName(driver, `${field}.driver`);
  if (!nodePublishSecretRef) return errors;
  const { name } = nodePublishSecretRef;
  return name
    ? [...errors, ...invalidBecause(validateDns1123Subdomain(name), name, `${field}.name`)]
    : [...errors, fieldError.required(`${field}.nodePublishSecretRef.name`)];
}

const imageErrors = (image: NonNullable<Volume["image"]>, isPod: boolean, field: string): FieldError[] => [
  ...(isPod ? requiredText(image.reference, `${field}.reference`) : []),
  ...oneOf(image.pullPolicy, ["Always", "IfNotPresent", "Never"], `${field}.pullPolicy`),
];
