// What of a spec is not done as asked: it is reported in the status, and everything else is done.

/** Something asked for that is not done as asked. */
export interface Objection {
  readonly reason:
    | "Downgrade"
    | "SeriesSkipped"
    | "CompatibilityBehind"
    | "CompatibilityRefused"
    | "EvenVotes"
    | "HorizonsIncomplete"
    | "OptionsRefused"
    | "OverridesRefused"
    | "OverridesInvalid"
    | "ClaimTemplatesFixed"
    | "PasswordMissing"
    | "NameReserved"
    | "ModeMissing"
    | "TlsRequired"
    | "CertificateMissing"
    | "CertificateInvalid"
    | "StorageNotShrunk"
    | "ScheduleUnreadable"
    | "ImageUnknown";
  readonly message: string;
}
