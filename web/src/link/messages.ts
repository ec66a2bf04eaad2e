/** The messages that the page reads, as rosbridge hands them over: arrays of numbers may be typed arrays. */

export type Numbers = number[] | Float64Array | Float32Array | Uint32Array | Int8Array;

export interface Vector3 {
  x: number;
  y: number;
  z: number;
}
export interface Quaternion extends Vector3 {
  w: number;
}
export interface Pose {
  position: Vector3;
  orientation: Quaternion;
}
export interface Header {
  stamp: { sec: number; nanosec: number };
  frame_id: string;
}

export interface Status {
  sim_time: number;
  real_time_factor: number;
  load: number;
  paused: boolean;
  scene: number;
  engine: string;
  world: string;
  robot: string;
  behaviour: string;
  detail: string;
  gait: string;
  speed: number;
  standing: boolean;
  fallen: boolean;
  fall_state: string;
  top_speed: number;
  top_turn: number;
  recording: boolean;
  record_file: string;
  record_messages: number | bigint;
}

export interface ReplayState {
  file: string;
  position: number;
  duration: number;
  speed: number;
  loop: boolean;
  paused: boolean;
}

export interface LinkPoses {
  header: Header;
  scene: number;
  names: string[];
  poses: Numbers;
}
export interface Models {
  scene: number;
  names: string[];
  robots: string[];
  versions: string[];
}
export interface JointState {
  name: string[];
  position: Numbers;
  velocity: Numbers;
  effort: Numbers;
}
export interface Contacts {
  contacts: { link: string; other: string; position: Vector3; normal: Vector3; force: Vector3 }[];
}
export interface PointStamped {
  header: Header;
  point: Vector3;
}
export interface PolygonStamped {
  header: Header;
  polygon: { points: Vector3[] };
}
export interface Footsteps {
  header: Header;
  steps: { foot: string; pose: { x: number; y: number; theta: number }; planned: boolean }[];
}
export interface FootForces {
  feet: { link: string; cells: Numbers; total: number }[];
}
export interface Imu {
  orientation: Quaternion;
  angular_velocity: Vector3;
  linear_acceleration: Vector3;
}
export interface Range {
  header: Header;
  range: number;
  min_range: number;
  max_range: number;
  field_of_view: number;
}
export interface LaserScan {
  header: Header;
  angle_min: number;
  angle_increment: number;
  /** Between two beams [s]. */
  time_increment: number;
  range_min: number;
  range_max: number;
  ranges: Numbers;
}
export interface OccupancyGrid {
  header: Header;
  info: { resolution: number; width: number; height: number; origin: Pose };
  data: Int8Array | number[];
}
export interface PoseArray {
  header: Header;
  poses: Pose[];
}
export interface PoseStamped {
  header: Header;
  pose: Pose;
}
export interface Path {
  header: Header;
  poses: PoseStamped[];
}
export interface NavigationState {
  active: boolean;
  state: string;
  reason: string;
  x: number;
  y: number;
  distance: number;
}
export interface Transforms {
  transforms: { header: Header; child_frame_id: string; transform: { translation: Vector3; rotation: Quaternion } }[];
}
export interface CompressedImage {
  format: string;
  data: Uint8Array | string;
}
export interface LogLine {
  stamp: { sec: number; nanosec: number };
  level: number;
  name: string;
  msg: string;
}
export interface Candidate {
  number: number;
  values: Numbers;
  fitness: number;
  distance: number;
  drift: number;
  time: number;
  fallen: boolean;
}
export interface SearchState {
  status: string;
  message: string;
  study: string;
  sampler: string;
  budget: number;
  evaluated: number;
  rate: number;
  parameters: string[];
  low: Numbers;
  high: Numbers;
  best: Candidate[];
  numbers: Numbers;
  values: Numbers;
  fitness: Numbers;
}

export interface Rehearsal {
  name: string;
  running: boolean;
  fallen: boolean;
  time: number;
  problems: string[];
  message: string;
}
export interface MachineState {
  name: string;
  running: boolean;
  outcome: string;
  active: string[];
  elapsed: Numbers;
  event: string;
  source: string;
  target: string;
  transition: number;
  taken: number;
  variables: string;
}

/** A stamp in seconds. */
export function seconds(stamp: { sec: number; nanosec: number }): number {
  return stamp.sec + 1e-9 * stamp.nanosec;
}
