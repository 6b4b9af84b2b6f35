// simple-frame-rs as an adapter, written against its version 0.3.0.
// SPDX-License-Identifier: 0BSD
//
// The protocol is that of host.c.  Each request opens the section anew: the
// crate borrows its bytes.  A panic ends the process, which the suite counts
// as a crash.

use simple_frame_rs::{SFrameABI, SFrameFDE, SFrameFRE, SFrameResult, SFrameSection};
use simple_frame_rs::{v1, v2, v3};
use std::io::{BufRead, Write};

/// The DWARF numbers of SP and FP.
fn abi_registers(abi: SFrameABI) -> (i32, i32) {
    match abi {
        SFrameABI::AMD64LittleEndian => (7, 6),
        SFrameABI::S390XBigEndian => (15, 11),
        _ => (31, 29),
    }
}

/// Register NUMBER + OFFSET, or what is in memory there.
fn from_register(abi: SFrameABI, number: i32, offset: i32, load: bool) -> String {
    let (sp, fp) = abi_registers(abi);
    let name = match number {
        _ if number == sp => "sp".to_string(),
        _ if number == fp => "fp".to_string(),
        _ => format!("r{number}"),
    };
    place(&name, offset, load)
}

fn place(base: &str, offset: i32, load: bool) -> String {
    if load {
        format!("[{base}{offset:+}]")
    } else {
        format!("{base}{offset:+}")
    }
}

/// An offset of a default row.  On s390x an odd one is a register's number,
/// and the RA's 0 says that RA has not been saved.
fn saved(abi: SFrameABI, offset: Option<i32>, is_ra: bool) -> String {
    match offset {
        None => "same".to_string(),
        Some(0) if is_ra && abi == SFrameABI::S390XBigEndian => "same".to_string(),
        Some(word) if abi == SFrameABI::S390XBigEndian && word & 1 != 0 => {
            from_register(abi, word >> 1, 0, false)
        }
        Some(offset) => place("cfa", offset, true),
    }
}

/// A rule of a flexible row; FIXED is what holds where it has none.
fn flexible(abi: SFrameABI, rule: Option<&v3::SFrameFlexRecoveryRule>, fixed: String) -> String {
    match rule {
        Some(rule) if !rule.control.is_padding() => {
            let load = rule.control.deref_p();
            if rule.control.reg_p() {
                from_register(abi, rule.control.regnum(), rule.offset, load)
            } else {
                place("cfa", rule.offset, load)
            }
        }
        _ => fixed,
    }
}

fn flexible_answer(section: &SFrameSection, row: &v3::SFrameFRE) -> String {
    let abi = section.get_abi();
    let fixed = |offset: i8| match offset {
        0 => "same".to_string(),
        offset => place("cfa", offset.into(), true),
    };
    match row.get_flex_recovery_rules() {
        None => "error".to_string(),
        Some(rules) => format!(
            "cfa={} ra={} fp={}",
            flexible(abi, Some(&rules.cfa), "same".to_string()),
            flexible(abi, rules.ra.as_ref(), fixed(section.get_cfa_fixed_ra_offset())),
            flexible(abi, rules.fp.as_ref(), fixed(section.get_cfa_fixed_fp_offset())),
        ),
    }
}

fn default_answer(section: &SFrameSection, row: &SFrameFRE) -> SFrameResult<String> {
    let abi = section.get_abi();
    let base = if row.get_cfa_base_reg_id() == 0 { "fp" } else { "sp" };
    Ok(match row.get_cfa_offset(section)? {
        None => "error".to_string(),
        Some(offset) => format!(
            "cfa={} ra={} fp={}",
            place(base, offset, false),
            saved(abi, row.get_ra_offset(section)?, true),
            saved(abi, row.get_fp_offset(section)?, false),
        ),
    })
}

/// Whether RA is signed in ROW, and the key is B in FDE.
fn signature(fde: &SFrameFDE, row: &SFrameFRE) -> SFrameResult<(bool, bool)> {
    let is_signed = match row {
        SFrameFRE::V1(row) => row.info.get_mangled_ra_p(),
        SFrameFRE::V2(row) => row.info.get_mangled_ra_p(),
        SFrameFRE::V3(row) => row.info.get_mangled_ra_p(),
    };
    let is_key_b = match fde {
        SFrameFDE::V1(fde) => matches!(
            fde.func_info.get_aarch64_pauth_key()?,
            v1::SFrameAArch64PAuthKey::KeyB
        ),
        SFrameFDE::V2(fde) => matches!(
            fde.func_info.get_aarch64_pauth_key()?,
            v2::SFrameAArch64PAuthKey::KeyB
        ),
        SFrameFDE::V3(fde) => matches!(
            fde.func_info.get_aarch64_pauth_key()?,
            v3::SFrameAArch64PAuthKey::KeyB
        ),
    };
    Ok((is_signed, is_key_b))
}

fn answer(section: &SFrameSection, pc: u64) -> SFrameResult<String> {
    let Some(fde) = section.find_fde(pc)? else {
        return Ok("none".to_string());
    };
    let Some(row) = fde.find_fre(section, pc)? else {
        return Ok("none".to_string());
    };
    let mut text = match (&fde, &row) {
        (_, SFrameFRE::V3(row)) if row.stack_offsets.is_empty() => {
            return Ok("outermost".to_string());
        }
        (SFrameFDE::V3(fde), SFrameFRE::V3(row))
            if matches!(fde.get_fde_type()?, v3::SFrameFDEType::Flex) =>
        {
            flexible_answer(section, row)
        }
        _ => default_answer(section, &row)?,
    };
    let is_aarch64 = matches!(
        section.get_abi(),
        SFrameABI::AArch64LittleEndian | SFrameABI::AArch64BigEndian
    );
    if is_aarch64 && text != "error" {
        text += match signature(&fde, &row)? {
            (false, _) => "",
            (true, false) => " signed-a",
            (true, true) => " signed-b",
        };
    }
    if text != "error" && matches!(fde, SFrameFDE::V3(_)) && fde.is_signal_frame()? {
        text += " signal";
    }
    Ok(text)
}

/// The line for a request: FILE ADDRESS [code=...] PC[/fp=FP]...
fn respond(line: &str) -> Option<String> {
    let mut words = line.split_whitespace();
    let bytes = std::fs::read(words.next()?).ok()?;
    let address = u64::from_str_radix(words.next()?, 16).ok()?;
    let section = match SFrameSection::from(&bytes, address) {
        Ok(section) => section,
        Err(error) => return Some(format!("refused {error}")),
    };
    let mut response = "accepted".to_string();
    for word in words.filter(|word| !word.starts_with("code=")) {
        let pc = u64::from_str_radix(word.split('/').next()?, 16).ok()?;
        response += ";";
        response += &answer(&section, pc).unwrap_or_else(|_| "error".to_string());
    }
    Some(response)
}

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout();
    writeln!(out, "adapter simple-frame-rs versions=1,2,3 abis=1,2,3,4 tells=signed,key,signal")?;
    for line in std::io::stdin().lock().lines() {
        let response = respond(&line?);
        writeln!(out, "{}", response.as_deref().unwrap_or("refused bad request"))?;
        out.flush()?;
    }
    Ok(())
}
