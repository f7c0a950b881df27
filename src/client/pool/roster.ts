import { leastLoaded, type Member } from './member.js';

/** Who is in the pool, and who is on the way out. */
export interface Roster {
  /** Those that take calls; the one that was not used for longest stands first, where sessions own them. */
  members(): readonly Member[];
  add(member: Member): void;
  remove(member: Member): void;
  has(member: Member): boolean;
  isLeaving(member: Member): boolean;
  /** It takes no new calls. One that was sent away for another keeps its place until it is gone. */
  leave(member: Member, keepsPlace: boolean): void;
  used(member: Member): void;
  /** What has failed serves nobody, even before all of it is gone. */
  sweep(): void;
  /** The one with the fewest calls of those that have room for another. */
  leastLoaded(room: number): Member | undefined;
  everybody(): readonly Member[];
  readonly placesTaken: number;
  readonly leavesRoom: boolean;
}

export function createRoster(): Roster {
  const members = new Set<Member>();
  const leaving = new Map<Member, { readonly keepsPlace: boolean }>();
  const keptPlaces = () => [...leaving.values()].filter(({ keepsPlace }) => keepsPlace).length;

  const roster: Roster = {
    members: () => [...members],
    add: (member) => members.add(member),
    remove(member) {
      clearTimeout(member.idleTimer);
      members.delete(member);
      leaving.delete(member);
    },
    has: (member) => members.has(member),
    isLeaving: (member) => leaving.has(member),
    leave(member, keepsPlace) {
      clearTimeout(member.idleTimer);
      members.delete(member);
      leaving.set(member, { keepsPlace });
    },
    used(member) {
      members.delete(member);
      members.add(member);
    },
    sweep() {
      for (const member of [...members]) if (member.connection.isOver) roster.leave(member, false);
    },
    leastLoaded: (room) => leastLoaded([...members].filter(({ isSuspect, calls }) => !isSuspect && calls < room)),
    everybody: () => [...members, ...leaving.keys()],
    get placesTaken() {
      return members.size + keptPlaces();
    },
    get leavesRoom() {
      return keptPlaces() > 0;
    },
  };
  return roster;
}
