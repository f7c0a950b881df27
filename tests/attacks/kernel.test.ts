import { attacksOnTheKernel } from './attacks.js';
import { describeAttacks } from './play.js';

describeAttacks(attacksOnTheKernel);
