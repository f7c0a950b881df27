import { attacksOnLimits, attacksOnProcesses } from './attacks.js';
import { describeAttacks } from './play.js';

describeAttacks([...attacksOnProcesses, ...attacksOnLimits]);
