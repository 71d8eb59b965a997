// The names of time zones that are accepted from users. `Intl` takes more than the IANA database has: three-letter names of
// old Java programs, of which several mean another place than the one who writes them expects.

/** Areas of the IANA database, its aliases included. */
const areas =
  /^(?:Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Brazil|Canada|Chile|Etc|Europe|Indian|Mexico|Pacific|US)\/./i;

/** Names of the IANA database that have no area. */
const singleWords = new Set(
  [
    "CET CST6CDT Cuba EET EST EST5EDT Egypt Eire GB GB-Eire GMT GMT+0 GMT-0 GMT0 Greenwich HST Hongkong Iceland Iran Israel",
    "Jamaica Japan Kwajalein Libya MET MST MST7MDT NZ NZ-CHAT Navajo PRC PST8PDT Poland Portugal ROC ROK Singapore Turkey UCT",
    "UTC Universal W-SU WET Zulu",
  ].flatMap((line) => line.toLowerCase().split(" ")),
);

/** The meanings of abbreviations, the likeliest first. Several have more than one meaning, which is why none is taken. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  ACT: ["Australia/Darwin"],
  AEST: ["Australia/Brisbane", "Australia/Sydney"],
  AET: ["Australia/Sydney"],
  AST: ["America/Halifax", "Asia/Riyadh"],
  BST: ["Europe/London", "Asia/Dhaka"],
  CDT: ["America/Chicago", "America/Havana"],
  CEST: ["Europe/Berlin"],
  CST: ["America/Chicago", "Asia/Shanghai", "America/Havana"],
  CTT: ["Asia/Shanghai"],
  ECT: ["Europe/Paris", "America/Guayaquil"],
  EDT: ["America/New_York"],
  HKT: ["Asia/Hong_Kong"],
  IST: ["Asia/Kolkata", "Europe/Dublin", "Asia/Jerusalem"],
  JST: ["Asia/Tokyo"],
  KST: ["Asia/Seoul"],
  MDT: ["America/Denver"],
  MSK: ["Europe/Moscow"],
  NST: ["America/St_Johns", "Pacific/Auckland"],
  PDT: ["America/Los_Angeles"],
  PST: ["America/Los_Angeles", "Asia/Manila"],
  SGT: ["Asia/Singapore"],
  SST: ["Pacific/Pago_Pago", "Pacific/Guadalcanal"],
};

/**
 * The validation error of the name of a time zone that is to be stored; undefined for an IANA name or alias. Whether the zone is
 * known to this machine is for `Schedules.zone` to find out.
 *
 * @example
 * zoneNameProblem("Asia/Kolkata"); // undefined
 * zoneNameProblem("BST"); // '"BST" is no IANA time zone; did you mean Europe/London or Asia/Dhaka?'
 */
export function zoneNameProblem(name: string): string | undefined {
  if (areas.test(name) || singleWords.has(name.toLowerCase())) return undefined;
  const likely = meanings[name.toUpperCase()];
  if (likely) return `"${name}" is no IANA time zone; did you mean ${likely.join(" or ")}?`;
  return `there is no time zone "${name}"; zones have names such as Europe/Berlin`;
}
