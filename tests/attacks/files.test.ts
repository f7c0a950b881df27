import { attacksOnFiles } from './attacks.js';
import { describeAttacks } from './play.js';

describeAttacks(attacksOnFiles);
