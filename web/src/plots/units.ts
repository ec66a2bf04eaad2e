/** Units of numbers in messages, by the type of the message and the path in it; empty: none is known. */

const RULES: readonly [type: RegExp, path: RegExp, unit: string][] = [
  [/JointState$/, /^position/, "rad"],
  [/JointState$/, /^velocity/, "rad/s"],
  [/JointState$/, /^effort/, "N m"],
  [/FootForces$/, /(cells|total)/, "N"],
  [/Contacts$/, /force/, "N"],
  [/Contacts$/, /position/, "m"],
  [/(Range|LaserScan)$/, /range/, "m"],
  [/Status$/, /^sim_time$/, "s"],
  [/Status$/, /^speed$/, "%"],
  [/NavigationState$/, /^(x|y|distance)$/, "m"],
  [/BatteryState$/, /^voltage$/, "V"],
  [/MagneticField$/, /magnetic_field/, "T"],
  [/Temperature$/, /^temperature$/, "°C"],
  [/Float64MultiArray$|Targets$/, /targets/, "rad"],
  [/./, /angular_velocity|angular\.[xyz]$/, "rad/s"],
  [/./, /linear_acceleration/, "m/s²"],
  [/Accel/, /linear\.[xyz]$/, "m/s²"],
  [/Wrench/, /force\.[xyz]$/, "N"],
  [/Wrench/, /torque\.[xyz]$/, "N m"],
  [/./, /linear\.[xyz]$/, "m/s"],
  [/./, /(position|translation|point|points\[\d+\])\.[xyz]$/, "m"],
  [/Point/, /^(point\.)?[xyz]$/, "m"],
  [/./, /(theta|yaw|roll|pitch)$/, "rad"],
];

export function unitOf(type: string, path: string): string {
  return RULES.find(([kind, place]) => kind.test(type) && place.test(path))?.[2] ?? "";
}
