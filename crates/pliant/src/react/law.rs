//! The law of contact between bodies that advance separately: forces that are constant over a step, found at its start.
//!
//! Bodies are not solved together, so a force has to be right before the step is taken. With the relative velocity u at
//! a contact, its gap g and W, the change of u per unit impulse, the force of the step is
//!
//!   f = F + p >= 0,   W dt p = -(beta g / dt + gamma u),   F <- F + lambda (f - F),
//!
//! where F is the filtered force: it carries resting loads without penetration, while p responds to changes. Before a
//! first touch beta is 1 and gamma 5/4: with 3/2 an approaching body would stop exactly at the surface, as only half of
//! the velocity change counts over the step, but energy would be added where W is too small by a third. Friction has
//! the same law across the normal, with the slip since the surfaces began to stick instead of a gap, and |f_t| <= mu f.
//! W couples all contacts of a body; the equations are solved by Gauss-Seidel sweeps.
//!
//! Forces that are constant over a step do the work f.d over its displacement d, which is known afterwards. A rigid
//! contact never adds energy. If one did, because its bodies vibrate faster than steps resolve or yield more than
//! estimated, its forces are reduced until it no longer does.

use super::outline::Outline;
use super::press::{Key, Press, Presses};
use crate::body::Body;
use crate::material::Friction;
use crate::math::Vec3;

/// beta: fraction of the penetration or gap that is corrected in a step.
const RECOVERY: f64 = 0.3;

/// gamma: fraction of the relative velocity that is cancelled in a step.
const CALMING: f64 = 1.0;

/// gamma before a first touch; see the head of this file.
const BRAKING: f64 = 1.25;

/// lambda: gain of the filter of forces per step. Ten times as much would drive oscillations of a heavy body on a soft
/// one, by the filter's delay.
const MEMORY: f64 = 0.003;

/// Regularisation of contacts that share the load of a body, as a fraction of its mobility under all of them: opposing
/// changes of their forces move the body far less than W of each suggests.
const SHARING: f64 = 0.5;

/// Travel in a step, relative to the size of a part, beyond which contact is an impact and less regularised.
const IMPACT: f64 = 0.05;

/// Number of Gauss-Seidel sweeps over all contacts.
const SWEEPS: usize = 16;

/// Fraction of the recorded work that is kept from step to step.
const RECALL: f64 = 0.99;

/// Factor by which `caution` grows when contacts have created energy.
const WARNED: f64 = 1.25;

/// Upper limit of `caution`.
const MOST_CAUTION: f64 = 5.0;

/// Factor by which `caution` decays in a step without created energy.
const TRUST: f64 = 0.96;

/// Coefficients of a contact for the sweeps.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Row {
    /// Wanted change of the relative velocity [m/s].
    wanted: Vec3,
    /// W along the normal and across it [1/kg].
    along: f64,
    across: f64,
    /// Regularisation added to both [1/kg], see `SHARING`, and the factor applied to it [-].
    shared: f64,
    ease: f64,
    /// Mobility of the point under all contacts together, with regularisation [1/kg].
    total: f64,
    friction: Friction,
    /// Index of its account, and the factor by which its changes are reduced [-].
    account: usize,
    caution: f64,
}

impl Row {
    fn new(press: &Press, (account, caution): (usize, f64), bodies: &[Body], outlines: &[Outline], dt: f64) -> Row {
        let [i, j] = press.key.bodies.map(|n| n as usize);
        let Press { sides: [x, y], normal, gap, .. } = press;
        let velocity = x.of(&outlines[i].nodes.velocities) - y.of(&outlines[j].nodes.velocities);
        let apart = velocity.dot(*normal);
        let fresh = press.lately == 0.0 && press.push == 0.0;
        let (back, calming) = match (*gap > 0.0, fresh) {
            (true, true) => (1.0, if apart < 0.0 { BRAKING } else { 1.0 }),
            _ => (RECOVERY, CALMING),
        };
        let slip = velocity - *normal * apart;
        let grain = outlines[i].grain.min(outlines[j].grain);
        let wanted = -*normal * (back * gap / dt + calming * apart) - slip * CALMING - press.slip * (RECOVERY / dt);
        let mobility = |along: Vec3| outlines[i].mobility(x, along) + outlines[j].mobility(y, along);
        let t = normal.any_orthonormal_vector();
        let across = mobility(t).max(mobility(normal.cross(t)));
        let (along, across) = (mobility(*normal).max(f64::MIN_POSITIVE), across.max(f64::MIN_POSITIVE));
        Row {
            wanted: wanted / caution,
            along,
            across,
            shared: 0.0,
            total: 0.0,
            ease: 0.2 + 0.8 / (1.0 + (apart * dt / (IMPACT * grain)).powi(2)),
            friction: Friction::between(bodies[i].skin().friction, bodies[j].skin().friction).over(press.share),
            account,
            caution,
        }
    }
}

/// Compute the forces of the step.
pub(crate) fn solve(presses: &mut Presses, rows: &mut Vec<Row>, bodies: &[Body], outlines: &mut [Outline], dt: f64) {
    rows.clear();
    for n in 0..presses.list.len() {
        let account = presses.account(presses.list[n].key.bodies);
        rows.push(Row::new(&presses.list[n], (account, presses.accounts[account].caution), bodies, outlines, dt));
    }
    let Presses { list: presses, accounts } = presses;
    for press in presses.iter_mut() {
        (press.push, press.rub) = (press.lately, press.rub_lately);
    }
    for press in presses.iter() {
        let [i, j] = press.key.bodies.map(|n| n as usize);
        outlines[i].hit(&press.sides[0], press.normal);
        outlines[j].hit(&press.sides[1], -press.normal);
    }
    for (press, row) in presses.iter().zip(rows.iter_mut()) {
        let [i, j] = press.key.bodies.map(|n| n as usize);
        let all = outlines[i].change(&press.sides[0]) - outlines[j].change(&press.sides[1]);
        let all = all.dot(press.normal).max(row.along);
        row.shared = row.ease * SHARING * all;
        row.total = all + row.shared;
    }
    outlines.iter_mut().for_each(Outline::forget);
    for sweep in 0..SWEEPS {
        for n in 0..presses.len() {
            // every other sweep goes backwards, so that neither end is favoured
            let n = if sweep % 2 == 0 { n } else { presses.len() - 1 - n };
            relax(&mut presses[n], &rows[n], outlines, dt);
        }
    }
    accounts.iter_mut().for_each(|account| account.allowed = 0.0);
    for (press, row) in presses.iter_mut().zip(rows) {
        let account = &mut accounts[row.account];
        account.allowed += 0.5 * row.along * (press.lately * dt).powi(2);
        // the slip of a sliding contact is limited to what the friction force corresponds to
        if press.rub.length() >= row.friction.limit(press.push) * (1.0 - 1e-9) {
            let behind = (press.rub_lately - press.rub) * (row.total * dt * dt / RECOVERY);
            press.slip = behind.clamp_length_max(press.slip.length());
        }
        let part = MEMORY / row.caution;
        press.lately += part * (press.push - press.lately);
        press.rub_lately += (press.rub - press.rub_lately) * part;
    }
}

/// Solve one contact while the forces of the others stay.
fn relax(press: &mut Press, row: &Row, outlines: &mut [Outline], dt: f64) {
    let [i, j] = press.key.bodies.map(|n| n as usize);
    let changed = outlines[i].change(&press.sides[0]) - outlines[j].change(&press.sides[1]);
    let besides = press.normal * (press.push - press.lately) + press.rub - press.rub_lately;
    let missing = row.wanted - changed - besides * (row.shared * dt);
    let normal = press.normal;
    let along = missing.dot(normal);
    let push = (press.push + along / ((row.along + row.shared) * dt)).max(0.0);
    let rub = press.rub + (missing - normal * along) / ((row.across + row.shared) * dt);
    let rub = rub.clamp_length_max(row.friction.limit(push));
    let more = (normal * (push - press.push) + (rub - press.rub)) * dt;
    (press.push, press.rub) = (push, rub);
    if more != Vec3::ZERO {
        outlines[i].hit(&press.sides[0], more);
        outlines[j].hit(&press.sides[1], -more);
    }
}

/// After the step: account for the work of its forces, with the outlines at their new positions. `works` is set to
/// that of each contact [J].
pub(crate) fn settle(presses: &mut Presses, outlines: &[Outline], works: &mut Vec<(Key, f64)>) {
    works.clear();
    for account in &mut presses.accounts {
        account.made *= RECALL;
    }
    for n in 0..presses.list.len() {
        let press = &mut presses.list[n];
        let [i, j] = press.key.bodies.map(|n| n as usize);
        let gone = |n: usize, outline: &Outline| press.sides[n].of(&outline.nodes.places) - press.places[n];
        let moved = gone(0, &outlines[i]) - gone(1, &outlines[j]);
        works.push((press.key, press.force().dot(moved)));
        let apart = press.normal.dot(moved);
        press.gap += apart;
        press.slip += moved - press.normal * apart;
        let answer = press.force() - press.normal * press.lately - press.rub_lately;
        let (work, bodies) = (answer.dot(moved), press.key.bodies);
        let account = presses.account(bodies);
        presses.accounts[account].made += work;
    }
    for account in &mut presses.accounts {
        if account.made > account.allowed {
            account.made = 0.0;
            account.caution = (WARNED * account.caution).min(MOST_CAUTION);
        } else {
            account.caution = (TRUST * account.caution).max(1.0);
        }
    }
}
