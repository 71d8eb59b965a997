// Query parameters that all writes share, refused as the real server refuses them.
import { ApiError, type FieldError } from "@kubewright/api";
import type { FieldValidation } from "../codec/index.js";
import { headerOf, type RequestContext } from "../request/context.js";
import { invalid } from "../request/failures.js";

export interface WriteOptions {
  readonly dryRun: boolean;
  /** Who owns the fields written. */
  readonly fieldManager: string;
  readonly fieldValidation: FieldValidation;
  readonly force: boolean;
}

type OptionsKind = "CreateOptions" | "UpdateOptions" | "PatchOptions";

/** Parses and checks; throws 422 naming the parameter. */
export function writeOptions(context: RequestContext, kind: OptionsKind, isApply = false): WriteOptions {
  const { query } = context;
  const dryRun = query.getAll("dryRun");
  const fieldManager = query.get("fieldManager") ?? "";
  const fieldValidation = query.get("fieldValidation") ?? "";
  const force = query.get("force");
  const errors: FieldError[] = [
    ...dryRunErrors(dryRun),
    ...managerErrors(fieldManager, isApply),
    ...fieldValidationErrors(fieldValidation),
  ];
  if (kind === "PatchOptions" && force !== null && !isApply) {
    errors.push({
      field: "force",
      reason: "FieldValueForbidden",
      message: "Forbidden: may not be specified for non-apply patch",
    });
  }
  if (errors.length > 0) throw invalid({ group: "meta.k8s.io", kind }, "", errors);
  return {
    dryRun: dryRun.length > 0,
    fieldManager: fieldManager || managerFromUserAgent(headerOf(context, "user-agent")),
    fieldValidation: isFieldValidation(fieldValidation) ? fieldValidation : "Warn",
    force: force === "true" || force === "1",
  };
}

/** Without a field manager, the part of the user agent before the first slash stands in, as long as it prints. */
function managerFromUserAgent(userAgent: string | undefined): string {
  return (
    (userAgent ?? "")
      .split("/", 1)[0]
      ?.replace(/[^\x20-\x7e]/g, "")
      .slice(0, 128) || "unknown"
  );
}

export function dryRunErrors(values: readonly string[]): FieldError[] {
  if (values.every((value) => value === "All")) return [];
  const shown = values.map((value) => `"${value}"`).join(",");
  return [
    {
      field: "dryRun",
      reason: "FieldValueNotSupported",
      message: `Unsupported value: [${shown}]: supported values: "All"`,
    },
  ];
}

function managerErrors(manager: string, required: boolean): FieldError[] {
  if (required && manager === "") {
    return [
      {
        field: "fieldManager",
        reason: "FieldValueRequired",
        message: "Required value: is required for apply patch",
      },
    ];
  }
  if (manager.length > 128) {
    return [
      {
        field: "fieldManager",
        reason: "FieldValueTooLong",
        message: "Too long: may not be more than 128 bytes",
      },
    ];
  }
  if (/[^\x20-\x7e\u00a1-\uffff]/.test(manager)) {
    return [
      {
        field: "fieldManager",
        reason: "FieldValueInvalid",
        message: `Invalid value: ${JSON.stringify(manager)}: should only contain printable characters`,
      },
    ];
  }
  return [];
}

function fieldValidationErrors(value: string): FieldError[] {
  if (value === "" || isFieldValidation(value)) return [];
  const message = `Unsupported value: "${value}": supported values: "", "Ignore", "Strict", "Warn"`;
  return [{ field: "fieldValidation", reason: "FieldValueNotSupported", message }];
}

const isFieldValidation = (value: string): value is FieldValidation =>
  value === "Ignore" || value === "Warn" || value === "Strict";

/** A number in the query, or 400 in the words of Go's parser. */
export function integerParameter(query: URLSearchParams, name: string): number | undefined {
  const text = query.get(name);
  if (text === null || text === "") return undefined;
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  throw new ApiError(`strconv.ParseInt: parsing ${JSON.stringify(text)}: invalid syntax`, {
    code: 400,
    reason: "BadRequest",
  });
}
