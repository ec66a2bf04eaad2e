/** Topics of a session with their types and how often the page wants them. */

import type { Connection } from "./connection";
import type * as m from "./messages";

interface Topics {
  "/status": m.Status;
  "/ground_truth/links": m.LinkPoses;
  "/scene/models": m.Models;
  "/joint_states": m.JointState;
  "/ground_truth/contacts": m.Contacts;
  "/ground_truth/com": m.PointStamped;
  "/ground_truth/support_polygon": m.PolygonStamped;
  "/footsteps": m.Footsteps;
  "/imu/data": m.Imu;
  "/sonar": m.Range;
  "/scan": m.LaserScan;
  "/map": m.OccupancyGrid;
  "/costmap": m.OccupancyGrid;
  "/particlecloud": m.PoseArray;
  "/plan": m.Path;
  "/local_plan": m.Path;
  "/goal_pose": m.PoseStamped;
  "/navigation/state": m.NavigationState;
  "/tf": m.Transforms;
  "/tf_static": m.Transforms;
  "/camera/image_raw/compressed": m.CompressedImage;
  "/rosout": m.LogLine;
  "/search/state": m.SearchState;
  "/replay/state": m.ReplayState;
  "/motion/rehearsal": m.Rehearsal;
  "/machine/state": m.MachineState;
}

const KINDS: Record<keyof Topics, [type: string, throttle: number]> = {
  "/status": ["andante_msgs/msg/Status", 0],
  "/ground_truth/links": ["andante_msgs/msg/LinkPoses", 0],
  "/scene/models": ["andante_msgs/msg/Models", 0],
  "/joint_states": ["sensor_msgs/msg/JointState", 40],
  "/ground_truth/contacts": ["andante_msgs/msg/Contacts", 50],
  "/ground_truth/com": ["geometry_msgs/msg/PointStamped", 50],
  "/ground_truth/support_polygon": ["geometry_msgs/msg/PolygonStamped", 50],
  "/footsteps": ["andante_msgs/msg/Footsteps", 100],
  "/imu/data": ["sensor_msgs/msg/Imu", 50],
  "/sonar": ["sensor_msgs/msg/Range", 0],
  "/scan": ["sensor_msgs/msg/LaserScan", 100],
  "/map": ["nav_msgs/msg/OccupancyGrid", 500],
  "/costmap": ["nav_msgs/msg/OccupancyGrid", 500],
  "/particlecloud": ["geometry_msgs/msg/PoseArray", 200],
  "/plan": ["nav_msgs/msg/Path", 100],
  "/local_plan": ["nav_msgs/msg/Path", 100],
  "/goal_pose": ["geometry_msgs/msg/PoseStamped", 0],
  "/navigation/state": ["andante_msgs/msg/NavigationState", 0],
  "/tf": ["tf2_msgs/msg/TFMessage", 50],
  "/tf_static": ["tf2_msgs/msg/TFMessage", 0],
  "/camera/image_raw/compressed": ["sensor_msgs/msg/CompressedImage", 100],
  "/rosout": ["rcl_interfaces/msg/Log", 0],
  "/search/state": ["andante_msgs/msg/SearchState", 300],
  "/replay/state": ["andante_msgs/msg/ReplayState", 0],
  "/motion/rehearsal": ["andante_msgs/msg/Rehearsal", 0],
  "/machine/state": ["andante_msgs/msg/MachineState", 0],
};

/** Topics of which every message counts; of the others the newest. */
const WHOLE: ReadonlySet<string> = new Set(["/rosout", "/tf_static"]);

/** Hear one of the known topics; the result ends it. */
export function subscribe<K extends keyof Topics>(
  connection: Connection,
  name: K,
  listener: (message: Topics[K]) => void,
): () => void {
  const [type, throttle] = KINDS[name];
  return connection.subscribe(name, type, listener, throttle, WHOLE.has(name) ? 0 : 1);
}

/** Subscriptions that a panel holds while it is seen. */
export class Hearing {
  private ends: (() => void)[] = [];

  constructor(private readonly connection: Connection) {}

  subscribe<K extends keyof Topics>(name: K, listener: (message: Topics[K]) => void): void {
    this.ends.push(subscribe(this.connection, name, listener));
  }

  add(end: () => void): void {
    this.ends.push(end);
  }

  /** End all of them. */
  stop(): void {
    for (const end of this.ends) end();
    this.ends = [];
  }
}
